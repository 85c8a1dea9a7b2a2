extension JSONTape {
  /// Checks the value that a text begins with, and makes no tape of it.
  ///
  /// Readers of lines check far more texts than they look into. The memory of the check is kept by the thread.
  ///
  /// - Parameters:
  ///   - bytes: The text; what follows the value is not looked at.
  ///   - maximumDepth: How many objects and arrays may lie within each other; at most ``depthLimit``.
  /// - Returns: What the value is, and where it ends, counted from the first byte of the text.
  /// - Throws: ``JSONError`` with the offset of the first byte that is wrong.
  /// - Complexity: As for a tape.
  package static func checkValue(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = defaultMaximumDepth
  ) throws(JSONError) -> (kind: Kind, end: Int) {
    try ScannerScratch.withScanner(bytes, maximumDepth: maximumDepth) { (scanner) throws(JSONError) in
      do throws(JSONError) { try scanner.scanValue() } catch { throw scanner.placed(error) }
      return (scanner.memory.tokens[0].valueKind, scanner.position)
    }
  }
}
