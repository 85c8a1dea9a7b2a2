import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

@Suite("Redacted lines", .timeLimit(.minutes(60)))
struct RedactedLineTests {
  private struct Fill: Decodable {
    var before: String
    var crc: String
    var fill: String
  }

  private func lines(_ path: String) throws -> [[UInt8]] {
    try EvidenceLogs.bytes(path).split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  /// All lines of a log in three segments or two.
  private func log(_ name: String) throws -> [[UInt8]] {
    try EvidenceLogs.names(name).filter { file in file.hasSuffix(".jsonl") }.flatMap { file in
      try lines("\(name)/\(file)")
    }
  }

  private func replacement(_ pointer: String, _ json: String? = nil) throws -> ValueReplacement {
    ValueReplacement(try #require(JSONPointer(pointer)), with: json.map { json in Array(json.utf8) })
  }

  private func leaf(_ line: [UInt8]) throws -> SHA256Digest {
    var entries = LineEntry()
    return try line.withUnsafeBytes { line in try entries.leaf(of: line) }
  }

  /// Whether a line is valid by itself and in the tree.
  private func isValid(_ line: [UInt8]) throws -> Bool {
    let story = LogStory()
    try story.files.setContents(line + [UInt8(ascii: "\n")], of: story.segment())
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    let faults: [LogProblem.Kind] = [.invalidMember, .wrongCommitment, .checksumMismatch, .noCommitMark, .invalidJSON]
    return !report.problems.contains { problem in faults.contains(problem.kind) }
  }

  @Test func theLettersAreThoseOfTheVectors() throws {
    let fills = try JSONDecoder().decode([Fill].self, from: Data(EvidenceLogs.bytes("fill.json")))
    #expect(fills.count == 12)
    for fill in fills {
      let digits = Array(fill.before.utf8)
      let before = stride(from: 0, to: digits.count, by: 2).compactMap { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
      }
      let crc = try #require(UInt32(fill.crc, radix: 16))
      #expect(String(decoding: ChecksumFill.letters(after: before, reaching: crc), as: UTF8.self) == fill.fill)
    }
  }

  @Test func everyChecksumHasLetters() {
    var random = SplitMix64(seed: 5)
    let text = Array(#"{"seq":1,"fill":""#.utf8)
    // Each bit of the checksum alone: the letters reach all 32.
    for checksum in (0..<32).map({ bit in UInt32(1) << UInt32(bit) })
      + (0..<300).map({ _ in UInt32.random(in: 0 ... .max, using: &random) })
    {
      let letters = ChecksumFill.letters(after: text, reaching: checksum)
      #expect(letters.allSatisfy { letter in "HIJKLMNOhijklmno".utf8.contains(letter) })
      #expect(CRC32C.checksum(of: text + letters + [UInt8(ascii: "\"")]) == checksum)
    }
  }

  @Test func linesAreRedactedAsInTheVectors() throws {
    let targets: [Int: ([ValueReplacement], Bool)] = [
      3: ([try replacement("/data/email", "\"\""), try replacement("/data/name")], false),
      5: ([try replacement("/data/text")], false),
      6: ([try replacement("/data/data", "{ }")], false),
      8: (
        [try replacement("/data/state", "\"b27561818e50d467e8f31fe1c3a7613b5db45f9d433da4c25b2bfd68f6cc448f\"")], false
      ),
      11: ([try replacement("/data")], true),
      13: (
        [try replacement("/data/state", "\"3716e5397daf24c442b66c50babd1a556d513198a0f97c3453b38637c79a66b6\"")], false
      ),
    ]
    let (before, after) = (try log("redactable/before"), try log("redactable/after"))
    for (index, line) in before.enumerated() {
      guard let (replacements, skips) = targets[index] else {
        #expect(line == after[index])
        continue
      }
      let redacted = try RedactedLine(of: line, replacing: replacements, skips: skips, by: 20)
      #expect(String(decoding: redacted.bytes, as: UTF8.self) == String(decoding: after[index], as: UTF8.self))
      #expect(after[20].contains(text: #""digest":"\#(redacted.digest)""#))
      #expect(try leaf(line) == leaf(after[index]))
    }
    let first = try RedactedLine(of: before[3], replacing: try #require(targets[3]).0, by: 20)
    #expect(first.replacements.map(\.pointer.description) == ["/data/name", "/data/email"])
    #expect(first.replacements[0].json == Array("\"[redacted]\"".utf8))
  }

  @Test func aRedactedLogIsRead() throws {
    let story = try EvidenceLogs.story("redactable/after")
    var records = try story.reader().records()
    var count = 0
    while let record = try records.next() {
      count += 1
      #expect(!record.rawLine.contains(text: "Ann"))
    }
    #expect(count == 22)
    #expect(try story.reader().record(at: 3).data == Array(#"{"id":"g1","text":"[redacted]"}"#.utf8))
  }

  @Test(arguments: 0..<150)
  func anyValueCanBeRedactedTwice(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var values = JSONGenerator(seed: seed)
    let data = JSONObject([
      (name: "a", value: values.value(depth: 4)), (name: "b/~", value: values.value(depth: 3)),
      (name: "ü\"", value: values.value(depth: 2)),
    ])
    var log = RawLog()
    let salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    let start = log.bytes.count
    log.salted(
      revision: 1, salt: salt, data: String(decoding: JSONValue.object(data).bytes(), as: UTF8.self),
      meta: random.chance(0.5) ? #"{"actor":"u7","n":[1,2]}"# : nil)
    let line = Array(log.bytes[start...].dropLast())
    #expect(try isValid(line))
    var current = line
    for _ in 0..<3 {
      let pointers = try Self.pointers(of: current).filter { _ in random.chance(0.2) }
      var chosen: [JSONPointer] = []
      for pointer in pointers.shuffled(using: &random)
      where !chosen.contains(where: { other in other.isWithin(pointer) || pointer.isWithin(other) }) {
        chosen.append(pointer)
      }
      let redacted: RedactedLine
      let hidden = chosen.map { pointer in ValueReplacement(pointer) }
      let skips = random.chance(0.1)
      do throws(RedactionFault) {
        redacted = try RedactedLine(of: current, replacing: hidden, skips: skips, by: 9)
      } catch {
        // Within a replacement of an earlier redaction there is nothing to remove.
        guard case .noValue = error, current != line else { throw error }
        continue
      }
      #expect(try isValid(redacted.bytes), "seed \(seed)")
      #expect(try leaf(redacted.bytes) == leaf(line), "seed \(seed)")
      #expect(redacted.bytes.suffix(18) == line.suffix(18))
      // The same record makes the same bytes again.
      #expect(
        try RedactedLine(of: current, replacing: redacted.replacements, skips: redacted.skips, by: 9).bytes
          == redacted.bytes)
      current = redacted.bytes
    }
  }

  /// All locations in the content of a line.
  private static func pointers(of line: [UInt8]) throws -> [JSONPointer] {
    let root = try JSONTape(parsing: line).root
    var found: [JSONPointer] = []
    func visit(_ node: JSONTape.Node, _ pointer: JSONPointer) {
      found.append(pointer)
      for (name, value) in node.members { visit(value, pointer.appending(name.string() ?? "")) }
      for (index, value) in node.elements.enumerated() { visit(value, pointer.appending(index)) }
    }
    for name in ["data", "meta"] { if let node = root[name] { visit(node, JSONPointer([name])) } }
    return found
  }

  @Test func aValueAroundARedactedOneCanBeRedacted() throws {
    let line = try log("redactable/before")[3]
    let once = try RedactedLine(of: line, replacing: [replacement("/data/stay/room")], by: 20)
    let twice = try RedactedLine(of: once.bytes, replacing: [replacement("/data/stay", "{}")], by: 30)
    #expect(
      try twice.bytes == RedactedLine(of: line, replacing: [replacement("/data/stay", "{}")], by: 30).bytes)
    let whole = try RedactedLine(of: twice.bytes, replacing: [replacement("/data"), replacement("/meta")], by: 31)
    #expect(try leaf(whole.bytes) == leaf(line))
    #expect(whole.bytes.contains(text: #""data":{},"meta":{},"redacted":{"by":31,"#))
    #expect(throws: RedactionFault.noValue("/data/stay/room")) {
      try RedactedLine(of: twice.bytes, replacing: [replacement("/data/stay/room")], by: 31)
    }
  }

  @Test func whatWasKeptCannotBeChanged() throws {
    let after = try log("redactable/after")
    var tried = 0
    for line in [after[3], after[5], after[6], after[8], after[11]] {
      let text = String(decoding: line, as: UTF8.self)
      let form = try line.withForm()
      guard case .redacted(let redaction) = form.kind else {
        Issue.record("\(text)")
        continue
      }
      for index in form.prefixEnd..<redaction.fillStart - 9 {
        var forged = line
        // A digit or letter stays one, so that most texts are still JSON.
        forged[index] = forged[index] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
        guard forged[index] != line[index] else { continue }
        let fill = ChecksumFill.letters(
          after: Array(forged[..<redaction.fillStart]),
          reaching: try #require(UInt32(text.suffix(10).prefix(8), radix: 16)))
        forged.replaceSubrange(redaction.fillStart..<redaction.fillStart + 8, with: fill)
        let isReplacement = redaction.parts.gone.contains { part in
          Self.range(of: part.pointer, in: line)?.contains(index) ?? false
        }
        // The record vouches for the replacement and for its own index.
        let isIndex = text.utf8.prefix(index).suffix(8).contains(UInt8(ascii: "y")) && text.contains(#""by":20"#)
        if isReplacement || isIndex { continue }
        tried += 1
        // A line that is no longer redacted is another leaf of the tree.
        #expect(try !isValid(forged) || leaf(forged) != leaf(line), "\(String(decoding: forged, as: UTF8.self))")
      }
    }
    #expect(tried > 800)
  }

  private static func range(of pointer: JSONPointer, in line: [UInt8]) -> Range<Int>? {
    var node = try? JSONTape(parsing: line).root
    for token in pointer.tokens { node = node?[token] }
    return node?.byteRange
  }

  @Test func aForgedKeptPartIsDamage() throws {
    let story = try EvidenceLogs.story("forged/changed-kept-part")
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .damaged)
    #expect(report.problems.first?.kind == .wrongCommitment && report.problems.first?.line == 4)
    // Another redaction does not make a commitment to the forged part.
    let line = try log("forged/changed-kept-part")[3]
    let fault = RedactionFault.damaged(
      "the redacted line was changed: what a redaction kept is not what the line was committed to")
    #expect(throws: fault) {
      try RedactedLine(of: line, replacing: [replacement("/data/id")], by: 30)
    }
  }

  @Test func refusalsNameTheReason() throws {
    let before = try log("redactable/before")
    func fault(_ line: [UInt8], _ replacements: ValueReplacement..., skips: Bool = false) -> RedactionFault? {
      #expect(throws: RedactionFault.self) { try RedactedLine(of: line, replacing: replacements, skips: skips, by: 9) }
    }
    #expect(try fault(before[3], replacement("/data/nmae")) == .noValue("/data/nmae"))
    #expect(try fault(before[3], replacement("/seq")) == .outside("/seq"))
    #expect(
      try fault(before[3], replacement("/data/stay"), replacement("/data/stay/room"))
        == .overlap("/data/stay", "/data/stay/room"))
    #expect(
      try fault(before[3], replacement("/data/stay"), replacement("/data/stay")) == .overlap("/data/stay", "/data/stay")
    )
    #expect(try fault(before[3], replacement("/data", "[]")) == .notAnObject("/data"))
    #expect(fault(before[0]) == .noSalt)
    #expect(try fault(before[0], replacement("/data/model")) == .notAllowed("/data/model"))
    #expect(try fault(before[1], replacement("/data/epoch")) == .notAllowed("/data/epoch"))
    #expect(try fault(before[1], replacement("/data")) == .notAllowed("/data"))
    #expect(fault(before[1], skips: true) == .notAnAction)
    guard case .invalidReplacement("/data/name", _)? = try fault(before[3], replacement("/data/name", "[1")) else {
      Issue.record("accepted")
      return
    }
    #expect(try RedactedLine(of: before[1], replacing: [replacement("/data/host")], by: 9).bytes.count > 0)
  }

  /// No replay begins without the state of a base; the line of a proof is not replayed.
  @Test func onlyValuesInTheStateOfABaseGo() throws {
    var log = RawLog()
    let start = log.bytes.count
    log.salted(
      revision: 1, type: "@base", salt: Array(0..<16), data: #"{"state":{"name":"Ann","list":[1]},"reducer":"r"}"#,
      meta: #"{"actor":"bob"}"#)
    let line = Array(log.bytes[start...].dropLast())
    for pointer in ["/data", "/data/state", "/data/reducer"] {
      #expect(throws: RedactionFault.notAllowed(pointer)) {
        try RedactedLine(of: line, replacing: [replacement(pointer)], by: 9)
      }
      let proved = try RedactedLine(of: line, replacing: [replacement(pointer)], by: nil)
      #expect(try leaf(proved.bytes) == leaf(line))
    }
    let redacted = try RedactedLine(
      of: line, replacing: [replacement("/data/state/name"), replacement("/data/state/list/0"), replacement("/meta")],
      by: 9)
    let text = String(decoding: redacted.bytes, as: UTF8.self)
    #expect(text.contains(#""data":{"state":{"name":"[redacted]","list":[0]},"reducer":"r"},"meta":{},"redacted":"#))
    #expect(try leaf(redacted.bytes) == leaf(line))
  }

  /// Numbers are found as they are written.
  @Test func numbersAreFoundAndErased() throws {
    var story = LogStory()
    story.configuration.redactable = true
    let writer = try story.open()
    try writer.appendNow([LogDraft(type: "add", data: Array(#"{"_0":4711.5,"list":[{"x":1e3}],"4711":"a"}"#.utf8))])
    try writer.closeNow()
    func places(_ text: String) throws -> [String] {
      var found: [String] = []
      try story.reader().find(anyOf: [text]) { place in
        if place.type == "add" { found.append(place.pointer.description + (place.isName ? " name" : "")) }
      }
      return found
    }
    #expect(try places("4711") == ["/data/_0", "/data/4711 name"])
    #expect(try places("1e3") == ["/data/list/0/x"])
    #expect(try places("1000") == [])
    let index = try #require(try story.reader().lineIndices(ofActions: [1])[1])
    let outcome = try LogRedaction.redact(
      at: LogStory.path, reason: "r", fileSystem: story.files, environment: .test()
    ) { _ in
      [RedactionTarget(index: index, replacements: [try replacement("/data/_0"), try replacement("/data/list")])]
    }
    // The name `x` within the value is removed with it, but belongs to a type.
    #expect(outcome.removedTexts.map(\.text).sorted() == ["1e3", "4711.5"])
    #expect(try places("4711") == ["/data/4711 name"])
    #expect(try places("1e3") == [])
  }

  @Test func removedTextsAreDistinguishedByBytes() throws {
    let texts = RedactedContent.texts(of: Array("[\"\u{e9}\",\"e\u{301}\",\"\u{e9}\"]".utf8), at: [.root])
    #expect(texts.map { text in Array(text.text.utf8) }.count == 2)
  }

  @Test func aLineThatWouldBeTooLongIsRefused() throws {
    var log = RawLog()
    let start = log.bytes.count
    let items = (0..<2_000).map { _ in #""x""# }.joined(separator: ",")
    log.salted(revision: 1, salt: Array(0..<16), data: #"{"items":[\#(items)]}"#)
    let line = Array(log.bytes[start...].dropLast())
    #expect(throws: RedactionFault.tooLong("/data/items")) {
      try RedactedLine(of: line, replacing: [replacement("/data/items/7")], by: 9, limitBytes: 60_000)
    }
    let whole = try RedactedLine(of: line, replacing: [replacement("/data/items")], by: 9, limitBytes: 60_000)
    #expect(try isValid(whole.bytes))
    let long = try RedactedLine(of: line, replacing: [replacement("/data/items/7")], by: 9)
    // The limit is exact: the line feed counts.
    #expect(long.bytes.count > 60_000)
    #expect(throws: RedactionFault.tooLong("/data/items")) {
      try RedactedLine(
        of: line, replacing: [replacement("/data/items/7")], by: 9, limitBytes: long.bytes.count)
    }
    #expect(
      try RedactedLine(
        of: line, replacing: [replacement("/data/items/7")], by: 9, limitBytes: long.bytes.count + 1) == long)
  }

  /// The work does not grow with the product of values and locations.
  @Test func eachValueIsLookedUpOnce() throws {
    let count = 1_000
    let data = Array((#"{"items":["# + (0..<count).map { number in "\(number)" }.joined(separator: ",") + "]}").utf8)
    let items = JSONPointer(["data", "items"])
    let salt = try #require(LineSalt(Array(0..<16)))
    var computer = Commitment()
    let even = try computer.split(
      data: data, meta: nil, source: .salt(salt),
      hidden: stride(from: 0, to: count, by: 2).map { number in items.appending(number) })
    #expect(even.parts.gone.count == count / 2 && even.parts.open.count == count / 2)
    #expect(computer.lookupCount <= count + 2)
    var second = Commitment()
    let rest = try second.split(
      data: data, meta: nil, source: .parts(even.parts),
      hidden: stride(from: 1, to: count, by: 2).reversed().map { number in items.appending(number) })
    #expect(rest.commitment == even.commitment && rest.parts.open.isEmpty && rest.parts.gone.count == count)
    #expect(second.lookupCount <= count + 2)
    let whole = try computer.split(data: data, meta: nil, source: .salt(salt), hidden: [items])
    #expect(whole.commitment == even.commitment && whole.parts.gone.count == 1)
  }

  /// Locations in any order are those that were named, and names are compared by their bytes.
  @Test func locationsInAnyOrderAreReplaced() throws {
    var log = RawLog()
    let start = log.bytes.count
    log.salted(revision: 1, salt: Array(0..<16), data: #"{"\u00e9":[1,{"x":2},3],"e\u0301":[4,5],"10":6}"#)
    let line = Array(log.bytes[start...].dropLast())
    let redacted = try RedactedLine(
      of: line,
      replacing: [
        replacement("/data/10"), replacement("/data/e\u{301}/1"), replacement("/data/\u{E9}/1/x"),
        replacement("/data/\u{E9}/0"),
      ], by: 9)
    #expect(
      String(decoding: redacted.bytes, as: UTF8.self)
        .contains(#""data":{"\u00e9":[0,{"x":0},3],"e\u0301":[4,0],"10":0}"#))
    #expect(
      redacted.replacements.map(\.pointer.tokens.last) == ["0", "x", "1", "10"])
    #expect(throws: RedactionFault.noValue("/data/10/0")) {
      try RedactedLine(of: line, replacing: [replacement("/data/10/0")], by: 9)
    }
    #expect(throws: RedactionFault.noValue("/data/e\u{301}/2")) {
      try RedactedLine(of: line, replacing: [replacement("/data/\u{E9}/0"), replacement("/data/e\u{301}/2")], by: 9)
    }
    #expect(throws: RedactionFault.overlap("/data/\u{E9}/1/x", "/data/\u{E9}/1")) {
      try RedactedLine(of: line, replacing: [replacement("/data/\u{E9}/1/x"), replacement("/data/\u{E9}/1")], by: 9)
    }
  }
}
