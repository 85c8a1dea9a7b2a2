/// The state of a document during decoding.
struct DecodingStorage {
  let owner: Unmanaged<DecodingOwner>
  /// For each depth, the container that was last used, and the value found there.
  ///
  /// Types request members in the order in which they are written, so the next member is nearly always the right one,
  /// and a dictionary of *n* members takes O(*n*). The path of a value in an error is found without counting. A
  /// container at a depth is on the tape, so there is a visit for it.
  let visits: UnsafeMutablePointer<DecodingVisit>
  var text: TokenText
  var root = 0
  var depth = 0
  var tokenCount = 0
  var memory = ScannerMemory()
  /// The shapes of known types, because checking a conformance costs more than reading a number.
  var shapes = TypeTable<DecodingShape>()
  /// The text of a value and the enum cases around it.
  var nestedText = RawStack<UInt8>()
  let casePaths = CasePaths()
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
    casePaths.deallocate()
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
    begin(text, root: 0, depth: scanner.deepest, tokenCount: tokens.count)
  }

  @inline(__always)
  mutating func begin(_ text: TokenText, root: Int, depth: Int, tokenCount: Int) {
    self.text = text
    self.root = root
    self.depth = depth
    self.tokenCount = tokenCount
    for depth in 0..<depth { visits[depth].container = -1 }
  }

  /// Frees the memory of an unusually large text.
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
