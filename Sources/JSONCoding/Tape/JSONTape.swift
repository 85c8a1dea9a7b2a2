/// A JSON text that was checked once, and whose values can be looked at without another parse.
///
/// The check is strict: RFC 8259, and beyond it no duplicate names, no lone surrogates, no byte order mark, valid UTF-8, a
/// bounded depth. A tape keeps the text and eight bytes per scalar or name, sixteen per object or array.
public struct JSONTape: Sendable {
  /// The text.
  public let bytes: ArraySlice<UInt8>
  let tokens: [JSONToken]
  /// How many objects and arrays lie within each other at the deepest place.
  public let depth: Int

  /// How deep texts may nest unless a caller says otherwise: the limit of the log format.
  public static let defaultMaximumDepth = 128

  /// How deep texts may nest at most: what is read from them is read by recursion, and stacks may be as small as 512 KiB.
  public static let depthLimit = 512

  /// Checks a text.
  ///
  /// - Parameters:
  ///   - bytes: The text, at most 1 GiB. It is not copied.
  ///   - maximumDepth: How many objects and arrays may lie within each other; at most ``depthLimit``.
  /// - Throws: ``JSONError`` with the offset of the first byte that is wrong and the path of the member or element around it.
  /// - Complexity: O(*n*), plus O(*m* log *m*) for an object of *m* members whose names do not ascend.
  public init(parsing bytes: ArraySlice<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    self.bytes = bytes
    (tokens, depth) = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
      try ScannerScratch.withScanner(buffer, maximumDepth: maximumDepth) { (scanner) throws(JSONError) in
        do throws(JSONError) { try scanner.scan() } catch { throw scanner.placed(error) }
        return (Array(scanner.memory.tokens.elements), scanner.deepest)
      }
    }
  }

  /// Checks a text.
  ///
  /// - Throws: ``JSONError`` with the offset of the first byte that is wrong.
  /// - Complexity: As for a slice; the bytes are not copied.
  public init(parsing bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try self.init(parsing: bytes[...], maximumDepth: maximumDepth)
  }

  /// The value of the whole text.
  public var root: Node { Node(tape: self, index: 0) }

  /// Calls a closure with the address of the first byte.
  @inline(__always)
  func withBase<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    // A checked text is not empty, so it has an address.
    bytes.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
  }
}
