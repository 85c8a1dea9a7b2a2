import ActionLog
import Foundation

/// Valid lines of maximum length that are built to cost their readers memory and time.
struct HostileLines {
  /// The contents of such a line.
  struct Line {
    var name: String
    var contents: @Sendable () -> [UInt8]
  }

  private let seq: Int
  private let prev: String

  /// Creates the lines that follow a segment.
  ///
  /// - Returns: `nil` if the segment does not end in a line.
  init?(after segment: Data) {
    let last = segment.dropLast().split(separator: 10).last.map { line in String(decoding: line, as: UTF8.self) } ?? ""
    guard let seq = last.dropFirst(#"{"seq":"#.count).split(separator: ",").first.flatMap({ number in Int(number) })
    else { return nil }
    self.seq = seq
    prev = String(last.suffix(10).prefix(8))
  }

  /// The lines.
  var lines: [Line] {
    [
      line("numbers in meta") { #""data":{},"meta":{"cause":1,"n":[\#(numbers)0]}"# },
      line("numbers in data") { #""data":{"n":[\#(numbers)0]}"# },
      line("numbers in data, with white space") { #""data":{"n":[ \#(numbers)0]}"# },
      line("lists in meta") { #""data":{},"meta":{"cause":1,"n":[\#(filled(with: "[],"))0]}"# },
      line("numbers next to the members") { #""data":{},"other":[\#(numbers)0]"# },
      line("names in data") { #""data":{\#(names),"n":0}"# },
      line("names in meta") { #""data":{},"meta":{"cause":1,\#(names)}"# },
      line("names next to the members") { #""data":{},\#(names)"# },
      line("names with escapes") { #""data":{\#(escapedNames),"n":0}"# },
      line("numbers in a control record", type: "@open") { #""data":{"epoch":9,"schema":1,"n":[\#(numbers)0]}"# },
    ]
  }

  private func line(
    _ name: String, type: String = "_", _ members: @escaping @Sendable () -> String
  ) -> Line {
    let seq = type.hasPrefix("@") ? seq : seq + 1
    let envelope = #"{"seq":\#(seq),"time":"2026-11-22T00:00:00.000000Z","type":"\#(type)","synced":\#(self.seq),"#
    return Line(name: name) { [prev] in
      var bytes = Array((envelope + #""prev":"\#(prev)","# + members()).utf8)
      CommitMark.append(to: &bytes)
      return bytes
    }
  }
}

/// The size available for the variable members of a line.
private let sizeBytes = LogFormat.lineLimitBytes - 1_000

private func filled(with unit: String) -> String { String(repeating: unit, count: sizeBytes / unit.utf8.count) }

/// The densest text: two bytes per value.
private var numbers: String { filled(with: "0,") }

/// As many distinct names as fit, in arbitrary order.
private var names: String {
  (0..<sizeBytes / 9).reversed().map { number in #""\#(letters(number))":0"# }.joined(separator: ",")
}

/// Names that are escaped.
private var escapedNames: String {
  (0..<sizeBytes / 15).reversed().map { number in #""\u0061\#(letters(number))":0"# }.joined(separator: ",")
}

/// Returns four letters for a number.
private func letters(_ number: Int) -> String {
  let letters = (0..<4).map { place in UInt8(ascii: "@") + UInt8((number >> (6 * place)) & 63) }
  // One of the 64 characters from that one on is a backslash.
  return String(
    decoding: letters.map { letter in letter == UInt8(ascii: "\\") ? UInt8(ascii: "0") : letter }, as: UTF8.self)
}
