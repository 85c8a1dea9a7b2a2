/// Where a keyed container stands. A container that is used again is moved by changing its frame.
///
/// `KeyedDecodingContainer` keeps the container in a class of the standard library. To make one costs several look-ups of generic
/// types in the runtime, which is more than reading the members of a small object. So a document keeps one for each type of
/// key (see `DecodingDocument+Containers.swift`).
final class DecodingFrame {
  /// The document is alive: while it decodes, because its user holds it; later, because of `keeper`.
  let document: DecodingDocument
  /// Set when the container is not, or no longer, in the document's care, and may outlive the decoding.
  var keeper: DecodingOwner?
  /// The type of key for which the document keeps the container.
  private(set) var type: ObjectIdentifier?
  /// What the document keeps: the container's box holds this frame, so that the circle is to be broken by ``forget()``.
  private var kept: AnyObject?
  /// What changes often, behind a pointer: properties of a class are checked for exclusive access.
  private let place: UnsafeMutablePointer<Place>

  private struct Place {
    var object: Int
    var depth: Int
    var box: UnsafeMutablePointer<AnyObject>?
    var kept: Unmanaged<AnyObject>?
    /// Whether the present decoding has moved the container.
    var isUsed = false
    /// The lists of keys that were given out.
    var keyLists = RawStack<KnownKeys>()
  }

  /// So many lists are kept for an enum's cases; types whose keys may be any text are not to fill the memory.
  private static let keyListLimit = 64
  private static let keyLengthLimit = 64

  init(_ document: DecodingDocument, object: Int, depth: Int) {
    self.document = document
    place = .allocate(capacity: 1)
    place.initialize(to: Place(object: object, depth: depth))
  }

  deinit {
    for known in place.pointee.keyLists.elements { known.forget() }
    place.pointee.keyLists.deallocate()
    place.deallocate()
  }

  var object: Int {
    @inline(__always) get { place.pointee.object }
  }

  var depth: Int {
    @inline(__always) get { place.pointee.depth }
  }

  /// Takes the container into the document's care.
  func keep<Container>(_ container: KeptContainer<Container>, _ type: ObjectIdentifier) {
    kept = container
    self.type = type
    place.pointee.box = container.box
    place.pointee.kept = .passUnretained(container)
    place.pointee.isUsed = true
  }

  /// Ends the document's care.
  func forget() {
    place.pointee.box = nil
    place.pointee.kept = nil
    kept = nil
  }

  /// Moves the container to another object.
  ///
  /// - Returns: The container, which the frame keeps alive, or `nil` if somebody holds it.
  @inline(__always)
  func move(to object: Int, depth: Int) -> Unmanaged<AnyObject>? {
    guard let box = place.pointee.box, isKnownUniquelyReferenced(&box.pointee) else { return nil }
    place.pointee.object = object
    place.pointee.depth = depth
    if !place.pointee.isUsed {
      place.pointee.isUsed = true
      document.storage.pointee.used.append(.passUnretained(self))
    }
    return place.pointee.kept
  }

  /// Ends a decoding.
  ///
  /// - Returns: Whether nobody holds the container.
  @inline(__always)
  func endUse() -> Bool {
    place.pointee.isUsed = false
    guard let box = place.pointee.box else { return true }
    return isKnownUniquelyReferenced(&box.pointee)
  }
}

extension DecodingFrame {
  /// The keys that a name gives, for the only member of an object: so enums find their case.
  @inline(__always)
  func keys<Key: CodingKey>(_ name: JSONToken, _ text: TokenText, _ type: Key.Type) -> [Key] {
    let (start, count) = (name.start &+ 1, name.value &- 2)
    let prefix = ByteWord.prefix(text.base + start, count: count, limit: text.count &- start)
    let known = place.pointee.keyLists.elements
    for index in 0..<known.count where known[index].equals(prefix, text.base + start, count) {
      return known[index].list._withUnsafeGuaranteedRef { unsafeDowncast($0, to: KeyList<Key>.self).keys }
    }
    return noteKeys(name, text, prefix, type)
  }

  @inline(never)
  private func noteKeys<Key: CodingKey>(
    _ name: JSONToken, _ text: TokenText, _ prefix: UInt64, _ type: Key.Type
  ) -> [Key] {
    let keys = [Key(stringValue: JSONStrings.string(name, text.base))].compactMap { $0 }
    let count = name.value - 2
    if place.pointee.keyLists.count < DecodingFrame.keyListLimit, count <= DecodingFrame.keyLengthLimit {
      place.pointee.keyLists.append(KnownKeys(prefix, text.base + name.start + 1, count, KeyList(keys)))
    }
    return keys
  }
}

/// The keys that a name gives.
private struct KnownKeys: BitwiseCopyable {
  let prefix: UInt64
  let count: Int
  let bytes: UnsafeMutablePointer<UInt8>
  let list: Unmanaged<AnyObject>

  init(_ prefix: UInt64, _ source: UnsafePointer<UInt8>, _ count: Int, _ list: AnyObject) {
    self.prefix = prefix
    self.count = count
    bytes = .allocate(capacity: count)
    bytes.initialize(from: source, count: count)
    self.list = .passRetained(list)
  }

  func forget() {
    bytes.deallocate()
    list.release()
  }

  @inline(__always)
  func equals(_ prefix: UInt64, _ other: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    guard self.prefix == prefix, self.count == count else { return false }
    var index = 8
    while index < count {
      if bytes[index] != other[index] { return false }
      index &+= 1
    }
    return true
  }
}

/// Keys that are kept where their type is not known.
private final class KeyList<Key: CodingKey> {
  let keys: [Key]

  init(_ keys: [Key]) {
    self.keys = keys
  }
}
