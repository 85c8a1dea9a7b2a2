import JSONCoding
import TimeTravel

/// The state that a page begins with: all that the actions of the page change, and of the rest as much as the page has room for.
///
/// A page of a few actions would otherwise carry all of a large state. Every change can still be applied, shown and asked about,
/// because the values that it replaces or removes, and the containers around them, are part of the page. Where values are left
/// out, `~` and their count stand for them: as the last member of an object, and at their position in an array. JSON has no `~`
/// outside strings.
struct PageState {
  /// The state in the form above.
  private(set) var bytes: [UInt8] = []
  /// How many members and elements were left out, not counting what is inside them.
  private(set) var leftOutCount = 0

  /// - Parameters:
  ///   - base: The state.
  ///   - changes: The changes of each action, in order.
  ///   - room: How many bytes values that no action changes may take; `nil` takes all of the state.
  /// - Complexity: O(size of the state + size of the changes).
  init(_ base: StateTree, changes: [JSONPatch], room: Int?) {
    guard let room, base.root.textSize(upTo: room) > room else {
      bytes = base.root.bytes()
      return
    }
    let top = ChangedPart(base.root)
    for patch in changes {
      for operation in patch.operations { top.note(operation) }
    }
    append(top.value, top, room: room)
  }

  /// A value that is replaced or removed is shown in a line, and its beginning is enough for that.
  private static let changedLimitBytes = 1 << 16
  /// Up to so many members share the room. More are taken in order until it is used up.
  private static let shareLimit = 256
  /// The least room in which part of a container says anything.
  private static let leastRoom = 64

  /// Appends a value.
  ///
  /// - Parameters:
  ///   - part: What the actions change in it; `nil` if they change nothing.
  ///   - room: The bytes for what they do not change.
  /// - Returns: The bytes of `room` that were used.
  @discardableResult
  private mutating func append(_ value: JSONValue, _ part: ChangedPart?, room: Int) -> Int {
    let limit = part?.isReplaced == true ? max(room, Self.changedLimitBytes) : room
    let size = value.textSize(upTo: limit)
    guard size > limit, let count = value.size else {
      bytes += value.bytes()
      return min(size, room)
    }
    let plan = Self.plan(value, count: count, part, room: limit)
    let isObject = if case .object = value { true } else { false }
    bytes.append(UInt8(ascii: isObject ? "{" : "["))
    var used = 0
    var leftOut = 0
    var isFirst = true
    func separate() {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
    }
    func appendLeftOut() {
      guard leftOut > 0 else { return }
      separate()
      bytes += "~\(leftOut)".utf8
      leftOutCount += leftOut
      leftOut = 0
    }
    for offset in 0..<count {
      guard let share = plan[offset] else {
        leftOut += 1
        continue
      }
      if !isObject { appendLeftOut() }
      separate()
      let (name, child) = value.child(at: offset)
      if isObject { bytes += JSONValue.string(name).bytes() + [UInt8(ascii: ":")] }
      used += append(child, part?.children[offset], room: share)
    }
    appendLeftOut()
    bytes.append(UInt8(ascii: isObject ? "}" : "]"))
    return min(used, room)
  }

  /// The members and elements that are taken, each with its room.
  private static func plan(_ value: JSONValue, count: Int, _ part: ChangedPart?, room: Int) -> [Int: Int] {
    let changed = part?.children ?? [:]
    var plan: [Int: Int] = [:]
    var room = room
    func size(_ offset: Int) -> Int {
      let (name, child) = value.child(at: offset)
      return name.utf8.count + 4 + child.textSize(upTo: room)
    }
    guard count > shareLimit else {
      // The smallest first, so that what they do not need goes to the others.
      let sizes = (0..<count).map { offset in (offset: offset, size: size(offset)) }
        .sorted { left, right in (left.size, left.offset) < (right.size, right.offset) }
      for (index, (offset, size)) in sizes.enumerated() {
        let share = min(size, room / (sizes.count - index))
        if share == size || share >= leastRoom && value.child(at: offset).value.size != nil {
          plan[offset] = share
          room -= share
        } else if changed[offset] != nil {
          plan[offset] = 0
        }
      }
      return plan
    }
    for offset in changed.keys.sorted() {
      let size = size(offset)
      plan[offset] = size <= room ? size : 0
      if size <= room { room -= size }
    }
    for offset in 0..<count where plan[offset] == nil {
      let size = size(offset)
      guard size <= room else { break }
      plan[offset] = size
      room -= size
    }
    return plan
  }
}

/// A value of the base with those inside it that actions change.
private final class ChangedPart {
  let value: JSONValue
  /// Whether an action replaces or removes the value.
  private(set) var isReplaced = false
  /// The parts by their offsets in the value.
  private(set) var children: [Int: ChangedPart] = [:]
  /// The names of members that are no longer those of the base.
  private var newNames: Set<String> = []
  /// The elements after the actions so far, by their offsets in the base; `nil` is an element that is not from there.
  private lazy var elements: [Int?] = (0..<(value.size ?? 0)).map(Optional.some)

  init(_ value: JSONValue) {
    self.value = value
  }

  /// Notes what the next operation changes.
  func note(_ operation: JSONPatch.Operation) {
    switch operation {
    case .add(let path, _): note(path.tokens[...], isAdded: true, isRemoved: false)
    case .remove(let path): note(path.tokens[...], isAdded: false, isRemoved: true)
    case .replace(let path, _): note(path.tokens[...], isAdded: false, isRemoved: false)
    case .move, .copy, .test: preconditionFailure("changes add, remove and replace")
    }
  }

  private func note(_ tokens: ArraySlice<String>, isAdded: Bool, isRemoved: Bool) {
    // Below a value that an action has replaced nothing is from the base.
    guard !isReplaced else { return }
    guard let name = tokens.first else {
      isReplaced = true
      return
    }
    let rest = tokens.dropFirst()
    switch value {
    case .object:
      guard !newNames.contains(name) else { return }
      guard let offset = value.offset(of: name) else {
        newNames.insert(name)
        return
      }
      child(at: offset).note(rest, isAdded: isAdded, isRemoved: isRemoved)
      if rest.isEmpty { newNames.insert(name) }
    case .array:
      guard let index = JSONPointer.index(of: name) else { return }
      if rest.isEmpty, isAdded {
        if index <= elements.count { elements.insert(nil, at: index) }
        return
      }
      guard index < elements.count else { return }
      if let offset = elements[index] { child(at: offset).note(rest, isAdded: isAdded, isRemoved: isRemoved) }
      guard rest.isEmpty else { return }
      if isRemoved { elements.remove(at: index) } else { elements[index] = nil }
    case .null, .bool, .number, .string: return
    }
  }

  private func child(at offset: Int) -> ChangedPart {
    if let child = children[offset] { return child }
    let child = ChangedPart(value.child(at: offset).value)
    children[offset] = child
    return child
  }
}

extension JSONValue {
  /// About how many bytes the text of the value has; any number beyond the limit, if it has more.
  ///
  /// - Complexity: O(limit), or O(length of a string).
  fileprivate func textSize(upTo limit: Int) -> Int {
    switch self {
    case .null, .bool: return 5
    case .number(let number): return number.text.utf8.count
    case .string(let text): return text.utf8.count + 2
    case .array(let elements):
      var size = 2
      for element in elements where size <= limit { size += 1 + element.textSize(upTo: limit - size) }
      return size
    case .object(let object):
      var size = 2
      for (name, member) in object where size <= limit {
        size += 4 + name.utf8.count + member.textSize(upTo: limit - size)
      }
      return size
    }
  }
}
