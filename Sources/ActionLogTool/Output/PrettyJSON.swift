import JSONCoding

/// A JSON value laid out for reading: two spaces per level, and what fits on a line stays on a line.
struct PrettyJSON {
  /// A value that fits in this many columns, its indentation and name included, is not broken up.
  private static let lineColumns = 100

  let style: Style

  /// The lines of a value.
  ///
  /// Every line is harmless to a terminal, and the whole is the same JSON value.
  /// - Complexity: O(size).
  func lines(_ value: JSONValue) -> [String] {
    var lines: [String] = []
    append(Place(value: value, depth: 0, name: nil, suffix: ""), to: &lines)
    return lines
  }

  /// A value, and what stands around it.
  private struct Place {
    var value: JSONValue
    var depth: Int
    var name: String?
    var suffix: String
  }

  private func append(_ place: Place, to lines: inout [String]) {
    let start = String(repeating: "  ", count: place.depth) + (place.name.map { name in painted(name) + ": " } ?? "")
    var columns = Self.lineColumns - 2 * place.depth - (place.name.map { name in name.count + 4 } ?? 0)
    if let inline = inline(place.value, columns: &columns) {
      lines.append(start + inline + place.suffix)
      return
    }
    switch place.value {
    case .object(let object) where !object.isEmpty:
      lines.append(start + "{")
      for (index, member) in object.enumerated() {
        let suffix = index + 1 < object.count ? "," : ""
        append(Place(value: member.value, depth: place.depth + 1, name: member.name, suffix: suffix), to: &lines)
      }
      lines.append(String(repeating: "  ", count: place.depth) + "}" + place.suffix)
    case .array(let elements) where !elements.isEmpty:
      lines.append(start + "[")
      for (index, element) in elements.enumerated() {
        let suffix = index + 1 < elements.count ? "," : ""
        append(Place(value: element, depth: place.depth + 1, name: nil, suffix: suffix), to: &lines)
      }
      lines.append(String(repeating: "  ", count: place.depth) + "]" + place.suffix)
    default:
      lines.append(start + plain(place.value) + place.suffix)
    }
  }

  /// The value on one line with a space after each comma and colon, or `nil` when it needs more columns than there are.
  private func inline(_ value: JSONValue, columns: inout Int) -> String? {
    switch value {
    case .object(let object):
      var text = "{"
      for (index, member) in object.enumerated() {
        columns -= member.name.count + 6
        guard columns >= 0, let part = inline(member.value, columns: &columns) else { return nil }
        text += (index > 0 ? ", " : "") + painted(member.name) + ": " + part
      }
      return text + "}"
    case .array(let elements):
      var text = "["
      for (index, element) in elements.enumerated() {
        columns -= 2
        guard columns >= 0, let part = inline(element, columns: &columns) else { return nil }
        text += (index > 0 ? ", " : "") + part
      }
      return text + "]"
    case .null, .bool, .number, .string:
      let text = plain(value)
      columns -= text.count
      return columns >= 0 ? text : nil
    }
  }

  private func plain(_ value: JSONValue) -> String {
    TerminalText.escaped(String(decoding: value.bytes(), as: UTF8.self))
  }

  private func painted(_ name: String) -> String {
    style.cyan(plain(.string(name)))
  }
}
