/// A cache of the lists of keys returned for objects with one member, from which enums find their case.
struct KeyLists {
  private var lists = RawStack<KnownKeys>()

  /// The maximum number of lists: enough for an enum's cases, bounded for types whose keys may be any text.
  private static let countLimit = 64
  private static let lengthLimit = 64

  func deallocate() {
    for known in lists.elements { known.forget() }
    lists.deallocate()
  }

  /// Returns the keys for a name without escapes.
  @inline(__always)
  mutating func keys<Key: CodingKey>(_ name: JSONToken, _ text: TokenText, _ type: Key.Type) -> [Key] {
    let (start, count) = (name.start &+ 1, name.value &- 2)
    let prefix = ByteWord.prefix(text.base + start, count: count, limit: text.count &- start)
    let known = lists.elements
    for index in 0..<known.count where known[index].equals(prefix, text.base + start, count) {
      return known[index].list._withUnsafeGuaranteedRef { unsafeDowncast($0, to: KeyList<Key>.self).keys }
    }
    return noteKeys(name, text, prefix, type)
  }

  @inline(never)
  private mutating func noteKeys<Key: CodingKey>(
    _ name: JSONToken, _ text: TokenText, _ prefix: UInt64, _ type: Key.Type
  ) -> [Key] {
    let keys = [Key(stringValue: JSONStrings.string(name, text.base))].compactMap { $0 }
    let count = name.value - 2
    if lists.count < KeyLists.countLimit, count <= KeyLists.lengthLimit {
      lists.append(KnownKeys(prefix, text.base + name.start + 1, count, KeyList(keys)))
    }
    return keys
  }
}

/// The keys for a name.
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

/// A list of keys whose type is not known statically.
private final class KeyList<Key: CodingKey> {
  let keys: [Key]

  init(_ keys: [Key]) {
    self.keys = keys
  }
}
