struct DecodingStorage {
  let owner: Unmanaged<DecodingOwner>
  /// For each depth, the container that was last used, and the value found there.
  ///
  /// Types request members in the order in which they are written, so the next member is nearly always the right one,
  /// and a dictionary of *n* members takes O(*n*). The path of a value in an error is found without counting. A
  /// container at a depth is on the tape, so there is a visit for it.
  let visits: UnsafeMutablePointer<DecodingVisit>
  var text: TokenText
  var depth = 0
  var tokenCount = 0
  var memory = ScannerMemory()
  /// The shapes of known types, because checking a conformance costs more than reading a number.
  var shapes = TypeTable<CodingForm>()
  /// The text of a value and the enum cases around it.
  var nestedText = RawStack<UInt8>()
  var containers = ContainerShelf<DecodingDocument>()
  /// Copies of text and tokens, if the document is retained for longer than they are available.
  private var ownBytes: UnsafeMutablePointer<UInt8>?
  private var ownTokens: UnsafeMutablePointer<JSONToken>?

  /// The number of bytes kept from one text to the next.
  private static let textLimit = 1 << 18

  init(owner: Unmanaged<DecodingOwner>) {
    self.owner = owner
    visits = .allocate(capacity: JSONTape.depthLimit)
    visits.initialize(repeating: DecodingVisit(), count: JSONTape.depthLimit)
    text = TokenText(base: ("" as StaticString).utf8Start, count: 0, tokens: UnsafePointer(memory.tokens.base))
  }

  func deallocate() {
    containers.deallocate()
    shapes.deallocate()
    memory.deallocate()
    nestedText.deallocate()
    visits.deallocate()
    ownBytes?.deallocate()
    ownTokens?.deallocate()
  }

  @inline(__always)
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(JSONError) {
    var scanner = JSONScanner(bytes, maximumDepth: min(maximumDepth, JSONTape.depthLimit), memory: memory)
    defer { memory = scanner.memory }
    do throws(JSONError) { try scanner.scan() } catch { throw scanner.placed(error) }
    let tokens = scanner.memory.tokens
    let text = TokenText(base: scanner.base, count: scanner.count, tokens: UnsafePointer(tokens.base))
    begin(text, depth: scanner.deepest, tokenCount: tokens.count)
  }

  @inline(__always)
  mutating func begin(_ text: TokenText, depth: Int, tokenCount: Int) {
    self.text = text
    self.depth = depth
    self.tokenCount = tokenCount
    for depth in 0..<depth { visits[depth].container = -1 }
  }

  @inline(__always)
  mutating func trim() {
    memory.trim()
    if nestedText.capacity > DecodingStorage.textLimit {
      nestedText.deallocate()
      nestedText = RawStack()
    }
  }

  /// Copies text and tokens, which are valid for one decoding only.
  mutating func copyText() {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
    bytes.initialize(from: text.base, count: text.count)
    let tokens = UnsafeMutablePointer<JSONToken>.allocate(capacity: tokenCount)
    tokens.initialize(from: text.tokens, count: tokenCount)
    (ownBytes, ownTokens) = (bytes, tokens)
    text = TokenText(base: UnsafePointer(bytes), count: text.count, tokens: UnsafePointer(tokens))
  }
}

/// The value last found in a container.
struct DecodingVisit: BitwiseCopyable {
  var container = -1
  var value = -1
  var position = 0
}

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
