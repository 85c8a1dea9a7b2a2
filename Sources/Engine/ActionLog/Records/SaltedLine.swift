/// The exact layout of a line with a salt or a redaction: the members in the order of the writer, no others, and no white space.
///
/// The tree of a log has the commitment to `data` and `meta` in place of their bytes. What the commitment does not cover
/// must therefore be determined by the rest of the line.
enum SaltedLine {
  /// Checks a line whose sixth member is a salt or a commitment. Other lines have any layout.
  ///
  /// - Parameter line: A line that is strict JSON, without its line feed.
  /// - Returns: What the line states about its redaction; `nil` if it is not redacted.
  /// - Throws: ``LineFault/invalidForm(_:)`` if the layout is another one; ``LineFault/wrongCommitment(_:)`` if what a redaction
  ///   kept is not what the line was committed to.
  /// - Complexity: O(length).
  static func check(_ line: UnsafeRawBufferPointer) throws(LineFault) -> LineRedaction? {
    let form: LineForm
    do throws(LineForm.Fault) { form = try LineForm(line) } catch { throw .invalidForm(error.message) }
    guard form.kind != .plain else { return nil }
    for range in [form.data, form.meta].compactMap(\.self) where hasWhiteSpace(Array(line[range])[...]) {
      throw .invalidForm("its content has white space")
    }
    guard case .redacted(let redaction) = form.kind else { return nil }
    var computer = Commitment()
    do throws(LineForm.Fault) { _ = try form.commitment(in: line, with: &computer) } catch {
      throw .wrongCommitment(error.message)
    }
    return redaction
  }

  /// Returns an object without the white space between its tokens. The bytes of strings and numbers are unchanged.
  ///
  /// - Parameter object: A strict JSON object.
  /// - Complexity: O(length). An object without white space is not copied.
  static func compacted(_ object: [UInt8]) -> [UInt8] {
    guard hasWhiteSpace(object[...]) else { return object }
    var compact: [UInt8] = []
    compact.reserveCapacity(object.count)
    var text = TokenText()
    for byte in object where !text.isWhiteSpace(byte) { compact.append(byte) }
    return compact
  }

  /// Whether there is white space between the tokens of a JSON text.
  ///
  /// - Complexity: O(length).
  static func hasWhiteSpace(_ json: ArraySlice<UInt8>) -> Bool {
    var text = TokenText()
    for byte in json where text.isWhiteSpace(byte) { return true }
    return false
  }

  /// A position in a JSON text: inside or outside of a string.
  private struct TokenText {
    private var isInString = false
    private var isEscaped = false

    /// Advances by a byte, and returns whether it is white space between tokens.
    mutating func isWhiteSpace(_ byte: UInt8) -> Bool {
      guard isInString else {
        if byte == UInt8(ascii: "\"") { isInString = true }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
        default: return false
        }
      }
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return false
    }
  }
}
