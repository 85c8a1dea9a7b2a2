package import Platform

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

  /// Returns one of the elements. The array must not be empty.
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
