import JSONCoding
import TimeTravel

/// The first state of a page: every value that the page's actions change, and as much of the rest as fits.
///
/// This keeps a page of a few actions small even if the state is large. Every change can still be applied and queried, because
/// the values that it replaces or removes are included, with the containers around them. Left-out values are written as `~`
/// followed by their count: as the last member of an object, and at their position in an array. JSON has no `~` outside
/// strings.
struct PageState {
  private(set) var bytes: [UInt8] = []
  /// The number of members and elements that were left out, without nested ones.
  private(set) var leftOutCount = 0

  /// Encodes a state.
  ///
  /// - Parameters:
  ///   - changes: The changes of each action, in order.
  ///   - room: The number of bytes for values that no action changes; `nil` includes the complete state.
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

  /// The size up to which a replaced or removed value is included completely. The page shows it in one line.
  private static let changedLimitBytes = 1 << 16
  /// The most members among which the room is shared. Of more members, the first ones are included until it is used up.
  private static let shareLimit = 256
  /// The least room for a part of a container.
  private static let leastRoom = 64

  /// - Returns: The number of bytes of `room` that were used.
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

  /// The members and elements to include, each with its room.
  private static func plan(_ value: JSONValue, count: Int, _ part: ChangedPart?, room: Int) -> [Int: Int] {
    let changed = part?.children ?? [:]
    var plan: [Int: Int] = [:]
    var room = room
    func size(_ offset: Int) -> Int {
      let (name, child) = value.child(at: offset)
      return name.utf8.count + 4 + child.textSize(upTo: room)
    }
    guard count > shareLimit else {
      // The smallest first, so that larger ones get the unused room.
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

/// A value of the base, with the values inside it that actions change.
private final class ChangedPart {
  let value: JSONValue
  private(set) var isReplaced = false
  /// The parts by their offsets in the value.
  private(set) var children: [Int: ChangedPart] = [:]
  /// The names of members that are no longer from the base.
  private var newNames: Set<ExactName> = []
  /// The current elements, by their offsets in the base; `nil` for an element that is not from the base.
  private lazy var elements: [Int?] = (0..<(value.size ?? 0)).map(Optional.some)

  init(_ value: JSONValue) {
    self.value = value
  }

  func note(_ operation: JSONPatch.Operation) {
    switch operation {
    case .add(let path, _): note(path.tokens[...], isAdded: true, isRemoved: false)
    case .remove(let path): note(path.tokens[...], isAdded: false, isRemoved: true)
    case .replace(let path, _): note(path.tokens[...], isAdded: false, isRemoved: false)
    case .test: preconditionFailure("changes add, remove and replace")
    }
  }

  private func note(_ tokens: ArraySlice<String>, isAdded: Bool, isRemoved: Bool) {
    // A replaced value contains nothing from the base.
    guard !isReplaced else { return }
    guard let name = tokens.first else {
      isReplaced = true
      return
    }
    let rest = tokens.dropFirst()
    switch value {
    case .object:
      guard !newNames.contains(ExactName(name)) else { return }
      guard let offset = value.offset(of: name) else {
        newNames.insert(ExactName(name))
        return
      }
      child(at: offset).note(rest, isAdded: isAdded, isRemoved: isRemoved)
      if rest.isEmpty { newNames.insert(ExactName(name)) }
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
  /// The approximate length of the encoded value in bytes, or any number above the limit if it is longer. O(limit).
  func textSize(upTo limit: Int) -> Int {
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
