internal import JSONCoding

/// The exact layout of a line with a salt: the members in the order of the writer, no others, and no white space.
///
/// The tree of a log has the commitment to `data` and `meta` in place of their bytes. What the commitment does not cover
/// must therefore be determined by the rest of the line.
enum SaltedLine {
  /// A member of a line, as ranges of its bytes. The name includes its quotes.
  private struct Member {
    var name: Range<Int>
    var value: Range<Int>
    var isSalt: Bool
  }

  /// The number of members before the salt, and the largest number of members of a line with a salt.
  private static let envelopeCount = 5
  private static let memberLimit = 9
  private static let names = ["seq", "time", "type", "synced", "prev", "salt", "data", "meta", "crc"]

  /// Whether a line has no salt as its sixth member, or is exactly in the layout of lines with a salt.
  ///
  /// - Parameter line: A valid line without its line feed.
  /// - Complexity: O(length).
  static func isExact(_ line: UnsafeRawBufferPointer) -> Bool {
    var members: [Member] = []
    do throws(JSONError) {
      try JSONTape.forEachMember(
        of: line.assumingMemoryBound(to: UInt8.self), maximumDepth: LogFormat.depthLimit
      ) { member in
        guard members.count <= memberLimit else { return }
        members.append(
          Member(name: member.nameRange, value: member.valueRange, isSalt: member.isNamed("salt")))
      }
    } catch {
      return false
    }
    guard members.count > envelopeCount, members[envelopeCount].isSalt else { return true }
    // Only `meta` may be missing.
    var expected = names[...]
    if members.count == names.count - 1 { expected = names[..<7] + names[8...] }
    guard members.count == expected.count else { return false }
    var position = 0
    for (member, name) in zip(members, expected) {
      let opening = (position == 0 ? "{" : ",") + "\"\(name)\":"
      guard line[position..<member.value.lowerBound].elementsEqual(opening.utf8) else { return false }
      position = member.value.upperBound
      if name == "salt" {
        let text = line[member.value].dropFirst().dropLast()
        guard member.value.count == SaltText.textSizeBytes + 2,
          SaltText.isText(at: UnsafeRawBufferPointer(rebasing: text).baseAddress.unsafelyUnwrapped)
        else { return false }
      } else if name == "data" || name == "meta" {
        guard !hasWhiteSpace(Array(line[member.value])[...]) else { return false }
      }
    }
    return position == line.count - 1
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
