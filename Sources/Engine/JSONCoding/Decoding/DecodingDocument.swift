/// A checked text that is being decoded, for use by its containers.
///
/// A value is identified by the index of its token. Its path is computed from the root, and only for errors. The user
/// of a document guarantees that its owner is alive: retaining it at each step would cost more than finding a member.
struct DecodingDocument: BitwiseCopyable {
  let storage: UnsafeMutablePointer<DecodingStorage>

  /// The index of an absent value, which reads as `null`.
  static let absent = -1

  var owner: DecodingOwner {
    @inline(__always) get { storage.pointee.owner.takeUnretainedValue() }
  }

  var text: TokenText {
    @inline(__always) get { storage.pointee.text }
  }
}

extension DecodingDocument {
  @inline(__always)
  func token(_ index: Int) -> JSONToken { text[index] }

  @inline(__always)
  func kind(_ index: Int) -> JSONToken.Kind {
    index == DecodingDocument.absent ? .null : text[index].kind
  }

  @inline(__always)
  func next(after index: Int) -> Int { text.next(after: index) }

  func string(_ index: Int) -> String { text.string(index) }

  func decimal<Result>(_ index: Int, _ body: (JSONDecimal) -> Result) -> Result {
    body(JSONDecimal(text.bytes(index)))
  }

  /// Finds the value of a member.
  @inline(__always)
  func member(_ name: String, of object: Int, depth: Int) -> Int? {
    // Native strings provide their bytes. Only strings bridged from another runtime are copied first.
    if let found = name.utf8.withContiguousStorageIfAvailable({ member($0, of: object, depth: depth) }) { return found }
    var name = name
    return name.withUTF8 { member($0, of: object, depth: depth) }
  }

  private func member(_ name: UnsafeBufferPointer<UInt8>, of object: Int, depth: Int) -> Int? {
    let (text, visit) = (text, storage.pointee.visits + depth)
    let (first, end) = (object &+ 2, text.next(after: object))
    var start = first
    if visit.pointee.container == object { start = text.next(after: visit.pointee.value) }
    guard let value = search(name, start, end, text) ?? search(name, first, start, text) else { return nil }
    visit.pointee.container = object
    visit.pointee.value = value
    return value
  }

  @inline(__always)
  private func search(_ name: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, _ text: TokenText) -> Int? {
    var index = start
    while index < end {
      if JSONStrings.equals(text[index], text.base, name) { return index &+ 1 }
      index = text.next(after: index &+ 1)
    }
    return nil
  }

  @inline(__always)
  func visit(_ value: Int, at position: Int, of array: Int, depth: Int) {
    storage.pointee.visits[depth] = DecodingVisit(container: array, value: value, position: position)
  }

  func names(of object: Int) -> [String] {
    var names: [String] = []
    names.reserveCapacity(token(object + 1).value)
    var index = object + 2
    let end = next(after: object)
    while index < end {
      names.append(string(index))
      index = next(after: index + 1)
    }
    return names
  }
}

extension DecodingDocument {
  func codingPath(_ target: Int) -> [JSONCodingKey] {
    var keys: [JSONCodingKey] = []
    var index = 0
    while index < target, token(index).isContainer, keys.count < storage.pointee.depth {
      let visit = visit(of: index, to: target, depth: keys.count)
      let isObject = token(index).kind == .object
      index = visit.value
      keys.append(isObject ? JSONCodingKey(name: string(index - 1)) : JSONCodingKey(index: visit.position))
    }
    return keys
  }

  /// Returns the value in a container that contains another value.
  private func visit(of container: Int, to target: Int, depth: Int) -> DecodingVisit {
    let last = storage.pointee.visits[depth]
    if last.container == container, last.value <= target, target < next(after: last.value) { return last }
    let step = token(container).kind == .object ? 1 : 0
    var visit = DecodingVisit(container: container, value: container + 2 + step)
    while next(after: visit.value) <= target {
      visit.value = next(after: visit.value) + step
      visit.position += 1
    }
    return visit
  }
}
