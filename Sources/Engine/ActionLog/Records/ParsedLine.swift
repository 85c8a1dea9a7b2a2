internal import JSONCoding

/// The members of a line that checked: numbers, and where the rest stands.
///
/// It allocates nothing, so that whole segments can be checked at reading speed.
struct ParsedLine {
  var seq: Int
  var time: LogTime
  var synced: Int
  var prev: UInt32
  var crc: UInt32
  var isControl: Bool
  /// The type with its quotes. All ranges are counted from the first byte of the line.
  var type: Range<Int>
  var data: Range<Int>
  var meta: Range<Int>?
  /// Whether the type is written with escapes.
  var isTypeEscaped = false
  /// Whether a sink has the action.
  var isActionRead = false
}

extension ParsedLine {
  /// The type, unescaped.
  func typeText(in line: ArraySlice<UInt8>) -> String {
    let quoted = line[line.startIndex + type.lowerBound..<line.startIndex + type.upperBound]
    let inner = quoted.dropFirst().dropLast()
    guard isTypeEscaped else { return String(decoding: inner, as: UTF8.self) }
    // The parser has read it before, so that it cannot fail here.
    do { return try JSONTape(parsing: quoted).root.string() ?? "" } catch { return "" }
  }

  /// Which control record of the format it is; `nil` for actions and unknown control records.
  func controlType(in line: ArraySlice<UInt8>) -> ControlType? {
    isControl ? ControlType(rawValue: typeText(in: line)) : nil
  }

  /// The `data`, with certain members.
  func dataNode(in line: ArraySlice<UInt8>, keeping names: [StaticString]) throws(LineFault) -> JSONTape.Node {
    let bytes = line[line.startIndex + data.lowerBound..<line.startIndex + data.upperBound]
    do throws(JSONError) { return try JSONTape(parsing: bytes, keeping: names).root } catch {
      throw .invalidJSON(error)
    }
  }
}
