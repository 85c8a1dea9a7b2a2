import ActionLog
import Foundation

/// Lines as long as a line can be that check, and are made to cost their readers memory and time.
struct HostileLines {
  /// What such a line says.
  struct Line {
    var name: String
    var contents: @Sendable () -> [UInt8]
  }

  private let seq: Int
  private let prev: String

  /// Takes the segment that the lines are to follow.
  ///
  /// - Returns: `nil` when it does not end in a line.
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
      line("numbers beside the members") { #""data":{},"other":[\#(numbers)0]"# },
      line("names in data") { #""data":{\#(names),"n":0}"# },
      line("names in meta") { #""data":{},"meta":{"cause":1,\#(names)}"# },
      line("names beside the members") { #""data":{},\#(names)"# },
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

/// What the members of a line may take, beside the members that every line has.
private let sizeBytes = LogFormat.lineLimitBytes - 1_000

private func filled(with unit: String) -> String { String(repeating: unit, count: sizeBytes / unit.utf8.count) }

/// The densest text: two bytes a value.
private var numbers: String { filled(with: "0,") }

/// As many names as find room, none in its place.
private var names: String {
  (0..<sizeBytes / 9).reversed().map { number in #""\#(letters(number))":0"# }.joined(separator: ",")
}

/// Names that say nothing as they stand.
private var escapedNames: String {
  (0..<sizeBytes / 15).reversed().map { number in #""\u0061\#(letters(number))":0"# }.joined(separator: ",")
}

/// Four letters for a number.
private func letters(_ number: Int) -> String {
  let letters = (0..<4).map { place in UInt8(ascii: "@") + UInt8((number >> (6 * place)) & 63) }
  // Of the 64 characters from that one on, one is a backslash.
  return String(
    decoding: letters.map { letter in letter == UInt8(ascii: "\\") ? UInt8(ascii: "0") : letter }, as: UTF8.self)
}
