package import Platform

/// The current rows of a workload, from which one can be picked in constant time.
///
/// The order of the array depends on the operations and never on hash values, so picks are the same in every process.
package struct LiveRows<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
  /// The number of newest rows that are picked more often.
  private static var recentCount: Int { 64 }

  /// The rows in the order of insertion, until one is removed.
  package private(set) var rows: [Row] = []
  private var positions: [Row.ID: Int] = [:]

  package init() {}

  package var count: Int { rows.count }

  package var isEmpty: Bool { rows.isEmpty }

  package subscript(id: Row.ID) -> Row? {
    positions[id].map { position in rows[position] }
  }

  /// Inserts a row, or replaces the row with the same id.
  package mutating func put(_ row: Row) {
    if let position = positions[row.id] {
      rows[position] = row
    } else {
      positions[row.id] = rows.count
      rows.append(row)
    }
  }

  /// Removes a row by moving the last row to its position.
  package mutating func remove(id: Row.ID) {
    guard let position = positions.removeValue(forKey: id) else { return }
    let last = rows.removeLast()
    if position < rows.count {
      rows[position] = last
      positions[last.id] = position
    }
  }

  package mutating func removeAll() {
    rows = []
    positions = [:]
  }

  /// Picks one of the newest rows. The collection must not be empty.
  package func pickRecent(using generator: inout SplitMix64) -> Row {
    rows[rows.count - 1 - generator.next(below: Swift.min(rows.count, Self.recentCount))]
  }

  /// Picks one of the newest rows in half of the cases, and any row otherwise. The collection must not be empty.
  package func pick(using generator: inout SplitMix64) -> Row {
    if generator.chance(1, in: 2) { return pickRecent(using: &generator) }
    return rows[rows.count - 1 - generator.next(below: rows.count)]
  }
}

/// One action of a story and the pause before it.
public struct StoryStep<Action: Hashable & Sendable>: Hashable, Sendable {
  /// The time since the previous step, or since the beginning of the story.
  public let pause: Duration
  /// The action.
  public let action: Action
  /// The number of steps from the action that caused this one, at least 1; `nil` if no cause is recorded.
  public let stepsSinceCause: Int?

  package init(_ pause: Duration, _ action: Action, stepsSinceCause: Int? = nil) {
    self.pause = pause
    self.action = action
    self.stepsSinceCause = stepsSinceCause
  }
}

// The standard library's `random(in:using:)` can choose differently in a later version, so the choices are made here.

extension SplitMix64 {
  /// Returns a number from 0 up to, not including, `bound`. The bias of at most `bound` in 2⁶⁴ is negligible.
  package mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns `true` with a probability of `count` in `total`.
  package mutating func chance(_ count: Int, in total: Int) -> Bool {
    next(below: total) < count
  }

  package mutating func element<Element>(of elements: [Element]) -> Element {
    elements[next(below: elements.count)]
  }

  /// Returns a version 4 UUID in upper case, in the format of `Foundation.UUID`.
  package mutating func uuidString() -> String {
    let high = next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits: [UInt8] = Array("0123456789ABCDEF".utf8)
    return String(unsafeUninitializedCapacity: 36) { text in
      var position = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          text[position] = UInt8(ascii: "-")
          position += 1
        }
        let half = index < 16 ? high : low
        text[position] = digits[Int(truncatingIfNeeded: half >> (60 - 4 * (index % 16))) & 0xF]
        position += 1
      }
      return position
    }
  }
}
