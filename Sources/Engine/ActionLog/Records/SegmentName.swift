/// The name of a segment file: the `seq` of its first action in 16 digits, and `.jsonl`.
enum SegmentName {
  /// The end of the name of a segment that is being made.
  static let newSuffix = ".new"

  /// As many as a name has digits.
  private static let zeros = "0000000000000000"

  static func text(first: Int) -> String {
    let digits = String(first)
    var name = String(Substring(zeros.utf8.dropFirst(digits.utf8.count)))
    name += digits
    name += ".jsonl"
    return name
  }

  /// The first `seq` of a name, or `nil` for every name that is not a segment's.
  static func first(of name: String) -> Int? {
    let bytes = name.utf8
    guard bytes.count == 22, name.hasSuffix(".jsonl") else { return nil }
    var first = 0
    for byte in bytes.prefix(16) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      // 16 digits are below 2⁶³.
      first = first * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return (1...LogFormat.seqLimit).contains(first) ? first : nil
  }

  /// Whether a name is that of a segment that was being made when its writer died.
  static func isUnfinished(_ name: String) -> Bool {
    name.hasSuffix(newSuffix) && first(of: String(name.dropLast(newSuffix.count))) != nil
  }
}
