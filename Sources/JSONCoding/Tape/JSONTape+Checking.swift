extension JSONTape {
  /// Checks the value that a text begins with, and makes no tape of it.
  ///
  /// Readers of lines check far more texts than they look into. Beside the text, memory is that of the names of the objects that are
  /// open, eight bytes each.
  ///
  /// - Parameters:
  ///   - bytes: The text; what follows the value is not looked at.
  ///   - maximumDepth: How many objects and arrays may lie within each other; at most ``depthLimit``.
  /// - Returns: What the value is, and where it ends, counted from the first byte of the text.
  /// - Throws: ``JSONError`` with the offset of the first byte that is wrong, as for a tape.
  /// - Complexity: As for a tape.
  package static func checkValue(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = defaultMaximumDepth
  ) throws(JSONError) -> (kind: Kind, end: Int) {
    try ScannerScratch.withScanner(bytes, maximumDepth: maximumDepth) { (scanner) throws(JSONError) in
      do throws(JSONError) {
        let token = try scanner.skimValue { _, _, _ in }
        return (token.valueKind, scanner.position)
      } catch {
        throw scanner.placedWhileSkimming(error)
      }
    }
  }
}
