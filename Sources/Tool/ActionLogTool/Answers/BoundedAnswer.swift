import ActionLog
import JSONCoding
import Platform

/// The shape of an answer in JSON that can grow. It decides where a bound truncates the answer, and how the next one continues.
package enum AnswerForm: Sendable {
  /// One object. It is truncated between the elements of its arrays, and within the values of a state.
  case object
  /// A line for each item. It is truncated between lines.
  case lines
}

extension CommandOption {
  static let limitItems = value("limit", "COUNT", "with --json: print at most COUNT items, and where to continue")
  static let maxBytes = value(
    "max-bytes", "BYTES", "with --json: truncate the answer at BYTES (2048 or more), and print where to continue")
  static let cursor = value("cursor", "NEXT", "with --json: continue a truncated answer at its \"next\"")

  static let bounds = [limitItems, maxBytes, cursor]
}

/// Bounds the items and the bytes of one answer in JSON. A truncated answer has the members `truncated` and `next`, with which the same
/// command line continues it. Any other answer is printed unchanged.
final class BoundedAnswer: Sendable {
  /// The smallest answer has room for the members of fixed size, the largest one fits in memory.
  static let bytesRange = 2_048...1 << 30

  let size: AnswerSize
  private let limit: Int
  let maximumBytes: Int
  private let cursor: String?
  private let progress: Locked<Progress>

  private struct Progress: Sendable {
    var form: AnswerForm
    /// The first line to print, of an answer of lines.
    var firstLine: LineCursor?
    var countsLines = false
    var itemCount = 0
    var byteCount = 0
    /// The position after the last offered line.
    var position = LineCursor()
    var next: String?
    var failure: ToolFailure?
  }

  /// Reads the options of a command; `nil` without bounds. A `--limit` of the command's own does not bound the answer.
  init?(
    _ form: AnswerForm, _ arguments: ParsedArguments, ownLimit: Bool, size: AnswerSize
  ) throws(ToolFailure) {
    let given = CommandOption.bounds.filter { option in
      arguments.has(option) && !(ownLimit && option.name == CommandOption.limitItems.name)
    }
    guard !given.isEmpty else { return nil }
    self.size = size
    limit = try arguments.integer(of: .limitItems, in: 1 ... .max) ?? .max
    maximumBytes = try arguments.integer(of: .maxBytes, in: Self.bytesRange) ?? Self.bytesRange.upperBound
    cursor = arguments.value(of: .cursor)
    progress = Locked(Progress(form: form))
    // The cursor of an object is checked with the object: the same command can print lines for several logs.
    if form == .lines { try beginLines() }
  }

  private func beginLines() throws(ToolFailure) {
    let firstLine = cursor.flatMap(LineCursor.init)
    if let cursor, firstLine == nil { throw Self.invalid(cursor) }
    progress.withLock { progress in (progress.form, progress.firstLine) = (.lines, firstLine) }
  }

  fileprivate static func invalid(_ cursor: String) -> ToolFailure {
    .usage(
      "'\(cursor)' is no cursor of this answer",
      advice: "A cursor is the \"next\" of a truncated answer to the same command line.")
  }

  /// Whether the answer is truncated, so that further items are dropped.
  var isFull: Bool { progress.withLock { progress in progress.next != nil } }

  /// The revision that the first line has at least; `nil` if lines are counted, or the answer is an object.
  var firstRevision: Int? { progress.withLock { progress in progress.firstLine?.revision } }

  /// Makes this the bounds of an answer of lines, which are counted, because their revisions are not in order.
  func countLines() throws(ToolFailure) {
    try beginLines()
    progress.withLock { progress in progress.countsLines = true }
  }

  /// Returns the part of a line or an object to print; `nil` for none.
  func part(of value: JSONValue) -> JSONValue? {
    guard case .object(let object) = value else { return value }
    return switch progress.withLock({ progress in progress.form }) {
    case .object: page(of: object).map(JSONValue.object)
    case .lines: progress.withLock { progress in line(object, &progress) }
    }
  }

  /// Returns the last line of a truncated answer of lines; `nil` for none.
  func end() throws(ToolFailure) -> JSONValue? {
    let (form, next, failure) = progress.withLock { progress in (progress.form, progress.next, progress.failure) }
    if let failure { throw failure }
    guard form == .lines, let next else { return nil }
    return ["truncated": true, "next": .string(next)]
  }
}

extension BoundedAnswer {
  /// The size of the line that ends a truncated answer.
  private var endBytes: Int { size == .json ? 80 : 180 }

  private func line(_ object: JSONObject, _ progress: inout Progress) -> JSONValue? {
    progress.position.pass(progress.countsLines ? nil : object["seq"]?.revision)
    let position = progress.position
    if let firstLine = progress.firstLine, (firstLine.revision == nil) != (position.revision == nil) {
      progress.failure = progress.failure ?? Self.invalid(firstLine.description)
    }
    guard progress.next == nil, progress.firstLine.map({ first in first <= position }) ?? true else { return nil }
    let budget = maximumBytes - endBytes - progress.byteCount
    var line = object
    if size.bytes(of: .object(object)) >= budget {
      guard progress.itemCount == 0,
        case let (page?, _) = fitted(object, in: budget - 1, from: nil, isSplittable: false)
      else {
        progress.next = position.description
        return nil
      }
      line = page
    }
    guard progress.itemCount < limit else {
      progress.next = position.description
      return nil
    }
    progress.itemCount += 1
    progress.byteCount += size.bytes(of: .object(line)) + size.bytesOfSeparator
    return .object(line)
  }

  private func page(of object: JSONObject) -> JSONObject? {
    let start = cursor.flatMap { text in JSONPointer(text) }
    if let cursor, start?.tokens.isEmpty ?? true {
      progress.withLock { progress in progress.failure = Self.invalid(cursor) }
      return nil
    }
    // One byte is the line feed.
    let (page, next) = fitted(object, in: maximumBytes - 1, from: start, isSplittable: true)
    progress.withLock { progress in
      progress.next = next
      guard page == nil else { return }
      if let cursor, object[JSONPointer(cursor)?.tokens.first ?? ""] == nil {
        progress.failure = Self.invalid(cursor)
      } else {
        progress.failure = ToolFailure(
          "beyondLimit", .limit, "the answer does not fit in \(HumanText.bytes(maximumBytes))",
          advice: "Allow more with \(option: .maxBytes), or ask for a part of it.")
      }
    }
    return page
  }

  /// The number of attempts: each one takes less than the one before, by as much as that exceeded the bound.
  private static let attemptLimit = 32

  /// Returns the part of an object that fits, and the location where the next part begins.
  private func fitted(
    _ object: JSONObject, in bytes: Int, from start: JSONPointer?, isSplittable: Bool
  ) -> (page: JSONObject?, next: String?) {
    var budget = bytes
    for _ in 0..<Self.attemptLimit where budget > 0 {
      var filler = AnswerPage(bytes: budget, size, items: limit, isSplittable: isSplittable)
      guard let page = filler.page(of: object, from: start) else { return (nil, nil) }
      let excess = size.bytes(of: .object(page)) - bytes
      guard excess > 0 else { return (page, filler.next?.description) }
      budget -= excess
    }
    return (nil, nil)
  }
}

/// The position of a line: the number of lines before it, those of earlier revisions aside.
private struct LineCursor: Comparable, CustomStringConvertible {
  /// The revision of the line; `nil` if lines are counted from the first one.
  private(set) var revision: Int?
  private(set) var count = -1

  init() {}

  /// Parses `57`, `57+2` or `+12`.
  init?(_ text: String) {
    let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    guard text.utf8.count <= 40, text.allSatisfy({ character in character.isASCIIDigit || character == "+" }),
      let first = parts.first
    else { return nil }
    if !first.isEmpty {
      guard let number = Int(first) else { return nil }
      revision = number
    }
    guard parts.count == 2 else {
      count = 0
      return
    }
    guard let number = Int(parts[1]) else { return nil }
    count = number
  }

  mutating func pass(_ revision: Int?) {
    if let revision, revision != self.revision { (self.revision, count) = (revision, -1) }
    count += 1
  }

  static func < (left: LineCursor, right: LineCursor) -> Bool {
    (left.revision ?? 0, left.count) < (right.revision ?? 0, right.count)
  }

  var description: String {
    guard let revision else { return "+\(count)" }
    return count == 0 ? String(revision) : "\(revision)+\(count)"
  }
}

/// Takes members of an object until a bound is met.
private struct AnswerPage {
  /// The members that are values of a state, of any size and shape: they are split wherever a bound is met.
  private static let openMembers: Set = ["state", "value"]
  /// A scalar of at most this size is a part of every page.
  private static let scalarBytes = 1_024
  /// The size of the members that report a truncation, without their variable parts.
  private static let reportBytes = 48

  private var remainingBytes: Int
  /// The room for the members that are not a part of every page.
  private var capacityBytes = 0
  private var remainingItems: Int
  private let size: AnswerSize
  private let isSplittable: Bool
  private var isEmpty = true
  private var omitted: [JSONValue] = []
  /// The location where the next page begins.
  private(set) var next: JSONPointer?

  init(bytes: Int, _ size: AnswerSize, items: Int, isSplittable: Bool) {
    (remainingBytes, remainingItems, self.isSplittable) = (bytes - Self.reportBytes, items, isSplittable)
    self.size = size
  }

  /// Returns the page that begins at a location.
  mutating func page(of object: JSONObject, from start: JSONPointer?) -> JSONObject? {
    for member in object where Self.isFixed(member.value) { remainingBytes -= cost(member) }
    capacityBytes = remainingBytes
    var page = JSONObject()
    var isReached = start == nil
    for member in object {
      guard !Self.isFixed(member.value) else {
        page[member.name] = member.value
        continue
      }
      var rest: ArraySlice<String> = []
      if !isReached {
        guard let tokens = start?.tokens, tokens.first == member.name else { continue }
        rest = tokens.dropFirst()
        isReached = true
      }
      guard next == nil else { continue }
      let location = JSONPointer([member.name])
      remainingBytes -= size.bytes(aroundMember: member.name)
      page[member.name] =
        isSplittable && (Self.openMembers.contains(member.name) || member.value.isArray)
        ? part(
          of: member.value, at: location, from: rest, isOpen: Self.openMembers.contains(member.name), isOuter: true)
        : complete(member.value, at: location)
    }
    guard isReached else { return nil }
    if let start { page["cursor"] = .string(start.description) }
    if next != nil || !omitted.isEmpty { page["truncated"] = true }
    if let next { page["next"] = .string(next.description) }
    if !omitted.isEmpty { page["omitted"] = .array(omitted) }
    return page
  }

  private static func isFixed(_ value: JSONValue) -> Bool {
    switch value {
    case .array, .object: false
    case .string(let text): text.utf8.count <= scalarBytes
    case .null, .bool, .number: true
    }
  }

  private func cost(_ member: JSONObject.Element) -> Int {
    size.bytes(aroundMember: member.name) + size.bytes(of: member.value)
  }

  /// Takes a value completely, or leaves it for the next page. A value that alone is too large is omitted.
  private mutating func complete(_ value: JSONValue, at location: JSONPointer) -> JSONValue? {
    let bytes = size.bytes(of: value) + 1
    if bytes <= remainingBytes {
      remainingBytes -= bytes
      isEmpty = false
      return value
    }
    guard isEmpty || !isSplittable || bytes > capacityBytes else {
      next = location
      return nil
    }
    let entry: JSONValue = ["pointer": .string(location.description), "bytes": .integer(value.bytes().count)]
    remainingBytes -= size.bytes(of: entry) + 1
    omitted.append(entry)
    return nil
  }

  /// Takes the elements or members of a value from the rest of a location on. An element that does not fit is split if the value is open;
  /// the elements of the outer value count as items.
  private mutating func part(
    of value: JSONValue, at location: JSONPointer, from start: ArraySlice<String>, isOpen: Bool, isOuter: Bool
  ) -> JSONValue? {
    guard let count = value.size else { return complete(value, at: location) }
    let children = (0..<count).map(value.child)
    let isWhole = start.isEmpty && (!isOuter || children.count <= remainingItems)
    if isWhole, size.bytes(of: value) < remainingBytes || children.isEmpty { return complete(value, at: location) }
    remainingBytes -= 2
    var taken: [(name: String, value: JSONValue)] = []
    var rest = start
    let first = start.first.map { name in children.firstIndex { child in child.name == name } ?? children.count } ?? 0
    for child in children[first...] where next == nil {
      let place = location.appending(child.name)
      guard !isOuter || remainingItems > 0 else {
        next = place
        break
      }
      let remains = remainingBytes
      remainingBytes -= size.bytes(aroundMember: child.name)
      let part =
        isOpen
        ? self.part(of: child.value, at: place, from: rest.dropFirst(), isOpen: true, isOuter: false)
        : complete(child.value, at: place)
      rest = []
      if let part {
        taken.append((child.name, part))
        if isOuter { remainingItems -= 1 }
      } else if omitted.isEmpty {
        remainingBytes = remains
      }
    }
    // The next page then begins with the value, and does not repeat its beginning.
    if taken.isEmpty, next != nil, start.isEmpty, !isOuter { return nil }
    if case .object = value { return .object(JSONObject(taken)) }
    return .array(taken.map(\.value))
  }
}

extension JSONValue {
  fileprivate var isArray: Bool { if case .array = self { true } else { false } }

  fileprivate var revision: Int? { if case .number(let number) = self { number.int } else { nil } }
}
