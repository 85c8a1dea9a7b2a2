/// Text of JSON, and the source that stands for it.
enum JSONLiteral {
  /// A string as `StrictJSONEncoder` writes it.
  static func string(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{08}": text += "\\b"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\u{0C}": text += "\\f"
      case "\r": text += "\\r"
      case "\u{00}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// A string literal of Swift that needs no escapes.
  static func source(_ text: String) -> String {
    var hashes = "#"
    while text.contains("\"" + hashes) || text.contains("\\" + hashes) { hashes += "#" }
    if !text.contains("\""), !text.contains("\\") { hashes = "" }
    return hashes + "\"" + text + "\"" + hashes
  }
}
