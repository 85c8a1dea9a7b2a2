import ActionLog
import ActionLogTesting
import TestSupport
import Testing
import TimeTravel

/// Conditions on actions, tested on raw lines first.
@Suite struct ConditionScreenTests {
  private static let conditions = [
    #"data/name == "Dog""#, #"data/name == "D\"g""#, #"data/name == "Dög" and data/n > 3"#,
    #""Dog" == data/inner/name"#,
    #"data/name != "Dog""#, #"not data/name == "Dog""#, #"data/name == "Dog" or data/n == 7"#, #"data/name == "7""#,
    #"data/name contains "o""#, #"data/tags contains "Dog""#, #"data contains "tags""#, #"data/name like "D*g""#,
    #"data/name like "?og*""#, #"type == "b" and data/name == "Dog""#, #"type like "*é*""#, "data/tags/0 exists",
    "data/inner/deep/name exists", #"data/rows/Dog == 1"#, "count(data/tags) > 1", "not data/tags exists", "data/flag",
    #"meta/actor == "ann" and data/name == "Dog""#, #"data/n > 3 and data/nmae == "Dog""#, #"type == "c""#,
    #"data/name == "Cow" and meta/actr == "ann""#, "data/n == 7", #"data/name < "E""#, #"data/name == "a/b""#,
  ]

  /// A string of JSON in one of the forms in which a program can write it.
  private func string(_ generator: inout SeededGenerator) -> String {
    let text = ["Dog", "Dög", "Cow", "7", "D\"g", "a/b", "dog\u{301}", ""].randomElement(using: &generator) ?? ""
    let form = Int.random(in: 0..<5, using: &generator)
    let scalars = text.unicodeScalars.map { scalar in
      if form == 0 || form == 1 && Bool.random(using: &generator) {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      if form == 2, scalar == "/" { return "\\/" }
      return scalar == "\"" ? "\\\"" : String(scalar)
    }
    return "\"" + scalars.joined() + "\""
  }

  private func draft(_ generator: inout SeededGenerator) -> LogDraft {
    var members = [String]()
    let name = Int.random(in: 0..<8, using: &generator) == 0 ? #""n\u0061me""# : #""name""#
    for member in 0..<7 where Bool.random(using: &generator) {
      switch member {
      case 0: members.append("\(name):\(string(&generator))")
      case 1: members.append(#""n":"# + (["7", "7.0", "3", #""7""#].randomElement(using: &generator) ?? "7"))
      case 2: members.append(#""tags":[\#(string(&generator)),\#(string(&generator))]"#)
      case 3: members.append(#""inner":{\#(name):\#(string(&generator)),"deep":{"name":null}}"#)
      case 4: members.append(#""rows":["Cow",2,\#(string(&generator)),1]"#)
      case 5: members.append(#""flag":true"#)
      default: members.append(#""other":\#(string(&generator))"#)
      }
    }
    return LogDraft(
      type: ["a", "b", "é.tap"].randomElement(using: &generator) ?? "a",
      data: Array("{\(members.joined(separator: ","))}".utf8),
      meta: Bool.random(using: &generator) ? Array(#"{"actor":"ann"}"#.utf8) : nil)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func screenedLinesHaveTheSameAnswer(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let files = MemoryFileSystem()
    let writer = try LogWriter.open(
      at: "/log", model: "m", schema: 1, fileSystem: files, configuration: LogConfiguration(durability: .written))
    for _ in 0..<400 { _ = try writer.writeNow([draft(&generator)]) }
    try writer.closeNow()
    let reader = try LogReader.open(at: "/log", fileSystem: files)
    var excludedCount = 0
    for text in Self.conditions {
      let (slow, fast) = try (RecordMatcher(Condition(parsing: text)), RecordMatcher(Condition(parsing: text)))
      var (expected, found): ([Int], [Int]) = ([], [])
      var records = try reader.records(from: 1)
      while let record = try records.next() {
        if !record.isControl, try slow.holds(for: record) { expected.append(record.revision) }
      }
      let screen = LineScreen { fast.requiredTexts }
      var batches = try reader.batches(from: 1, chunkBytes: 1_024)
      while let batch = try batches.nextBatch(unless: screen) {
        for (index, entry) in batch.entries.enumerated() where !entry.isControl {
          if try fast.holds(for: batch.record(at: index)) { found.append(entry.revision) }
        }
      }
      #expect(found == expected, "\(text), seed \(seed)")
      #expect(fast.hints.map(\.description) == slow.hints.map(\.description), "\(text), seed \(seed)")
      #expect("\(String(describing: batches.ending))" == "\(String(describing: records.ending))")
      excludedCount += screen.excludedCount
    }
    #expect(excludedCount > 300, "conditions without a text that must be there exclude nothing")
  }

  @Test func onlyLinesWithTheTextAreParsed() throws {
    let files = MemoryFileSystem()
    let writer = try LogWriter.open(
      at: "/log", model: "m", schema: 1, fileSystem: files, configuration: LogConfiguration(durability: .written))
    for number in 0..<5_000 {
      let name = number % 1_000 == 0 ? "Dog" : "Cow \(number)"
      _ = try writer.writeNow([LogDraft(type: "a", data: Array(#"{"name":"\#(name)"}"#.utf8))])
    }
    try writer.closeNow()
    let matcher = try RecordMatcher(Condition(parsing: #"data/name == "Dog""#))
    let screen = LineScreen { matcher.requiredTexts }
    var batches = try LogReader.open(at: "/log", fileSystem: files).batches(from: 1, chunkBytes: 4_096)
    var parsedCount = 0
    while let batch = try batches.nextBatch(unless: screen) {
      for index in batch.entries.indices where !batch.entries[index].isControl {
        parsedCount += 1
        _ = try matcher.holds(for: batch.record(at: index))
      }
    }
    // Those of the first chunk are read for a hint on the name.
    #expect(parsedCount + screen.excludedCount == 5_000 && parsedCount < 50)
  }
}
