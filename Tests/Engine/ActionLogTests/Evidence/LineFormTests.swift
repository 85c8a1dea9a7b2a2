import ActionLog
import JSONCoding
import Platform
import Testing

@Suite("Forms of lines, commitments and leaves")
struct LineFormTests {
  /// A line of the vectors.
  struct Vector: Decodable {
    var index: Int
    var form: String
    var afterwards: String
    var commitment: String?
    var entry: String
    var leaf: String
  }

  private static func lines(_ log: String) throws -> [[UInt8]] {
    try ["0000000000000001.jsonl", "0000000000000006.jsonl", "0000000000000010.jsonl"].flatMap { name in
      guard log == "after" || name != "0000000000000010.jsonl" else { return [[UInt8]]() }
      return try Vectors.bytes(name, in: "redactable/\(log)", of: "Evidence").split(separator: 0x0A).map(Array.init)
    }
  }

  private static func form(_ line: [UInt8]) throws -> LineForm {
    try line.withUnsafeBytes { line in try LineForm(line) }
  }

  private static func leaf(_ line: [UInt8]) throws -> SHA256Digest {
    var entry = LineEntry()
    return try line.withUnsafeBytes { line in try entry.leaf(of: line) }
  }

  private static func name(_ form: LineForm) -> String {
    switch form.kind {
    case .plain: "plain"
    case .salted: "salted"
    case .redacted: "redacted"
    }
  }

  @Test(arguments: ["before", "after"])
  func entriesAndLeavesMatchTheVectors(log: String) throws {
    let lines = try Self.lines(log)
    let vectors = try Vectors.decode([Vector].self, "redactable/lines.json", of: "Evidence")
    #expect(vectors.count == 18)
    var entry = LineEntry()
    var commitment = Commitment()
    for (line, vector) in zip(lines, vectors) {
      let form = try Self.form(line)
      #expect(Self.name(form) == (log == "before" ? vector.form : vector.afterwards), "line \(vector.index)")
      let found = try line.withUnsafeBytes { line in
        (
          try form.commitment(in: line, with: &commitment), try entry.entry(of: line), try entry.leaf(of: line)
        )
      }
      #expect(found.0.map { digest in Base64.text(digest, .url) } == vector.commitment, "line \(vector.index)")
      #expect(String(decoding: found.1, as: UTF8.self) == vector.entry)
      #expect(found.2.hexadecimal == vector.leaf)
    }
  }

  @Test func redactedLinesNameTheirParts() throws {
    let line = try Self.lines("after")[3]
    guard case .redacted(let redaction) = try Self.form(line).kind else {
      Issue.record("not redacted")
      return
    }
    #expect(redaction.by == 20)
    #expect(!redaction.skips)
    #expect(redaction.parts.gone.map(\.pointer.description) == ["/data/name", "/data/email"])
    #expect(redaction.parts.open.map(\.pointer.description) == ["/data/id", "/data/stay", "/meta"])
    #expect(redaction.parts.open[0].salt.text == "PnWmbo8TtQ0fWZKs-0T0iA")
    #expect(String(decoding: line[redaction.fillStart..<redaction.fillStart + 8], as: UTF8.self) == "jOOkhlio")
  }

  @Test func splittingALineGivesThePartsOfTheVectors() throws {
    let (before, after) = (try Self.lines("before"), try Self.lines("after"))
    var commitment = Commitment()
    for (old, new) in zip(before, after) {
      let form = try Self.form(old)
      guard case .salted(let salt) = form.kind, case .redacted(let redaction) = try Self.form(new).kind else {
        continue
      }
      let split = try commitment.split(
        data: Array(old[form.data]), meta: form.meta.map { range in Array(old[range]) }, source: .salt(salt),
        hidden: redaction.parts.gone.map(\.pointer))
      #expect(split.commitment == redaction.commitment)
      #expect(split.parts == redaction.parts)
    }
  }

  /// A redacted line is redacted once more.
  @Test func splittingTwiceKeepsTheCommitment() throws {
    let line = try Self.lines("after")[3]
    let form = try Self.form(line)
    guard case .redacted(let redaction) = form.kind else {
      Issue.record("not redacted")
      return
    }
    var commitment = Commitment()
    let meta = form.meta.map { range in Array(line[range]) }
    let pointer = try #require(JSONPointer("/data/stay/room"))
    let split = try commitment.split(
      data: Array(line[form.data]), meta: meta, source: .parts(redaction.parts), hidden: [pointer])
    #expect(split.commitment == redaction.commitment)
    #expect(split.parts.gone.map(\.pointer.description) == ["/data/name", "/data/email", "/data/stay/room"])
    #expect(
      split.parts.open.map(\.pointer.description) == ["/data/id", "/data/stay/nights", "/meta"])
    let again = try commitment.commitment(data: Array(line[form.data]), meta: meta, parts: split.parts)
    #expect(again == redaction.commitment)

    for missing in ["/data/nmae", "/data/name/first", "/data/stay/7", "/more"] {
      let pointer = try #require(JSONPointer(missing))
      #expect(throws: Commitment.Fault.noValue(pointer: missing)) {
        try commitment.split(
          data: Array(line[form.data]), meta: meta, source: .parts(redaction.parts), hidden: [pointer])
      }
    }
  }

  struct CommitmentVector: Decodable {
    var content: String
    var salt: String
    var commitment: String
  }

  @Test func commitmentsMatchTheVectors() throws {
    var commitment = Commitment()
    for vector in try Vectors.decode([CommitmentVector].self, "commitments.json", of: "Evidence") {
      let root = try JSONTape(parsing: Array(vector.content.utf8)).root
      let found = try commitment.commitment(
        data: Array(try #require(root["data"]).bytes), meta: root["meta"].map { node in Array(node.bytes) },
        salt: try #require(LineSalt(text: vector.salt.utf8)))
      #expect(Base64.text(found, .url) == vector.commitment)
    }
  }

  @Test func keptPartsAndHashesMustFitTheContent() throws {
    let line = try Self.lines("after")[3]
    let form = try Self.form(line)
    guard case .redacted(let redaction) = form.kind else {
      Issue.record("not redacted")
      return
    }
    var commitment = Commitment()
    func root(_ change: (inout CommitmentParts) -> Void) -> SHA256Digest? {
      var parts = redaction.parts
      change(&parts)
      return try? commitment.commitment(
        data: Array(line[form.data]), meta: form.meta.map { range in Array(line[range]) }, parts: parts)
    }
    #expect(root { _ in } == redaction.commitment)
    #expect(root { parts in parts.gone.removeFirst() } == nil)
    #expect(root { parts in parts.gone.swapAt(0, 1) } == nil)
    #expect(root { parts in parts.open.swapAt(0, 1) } == nil)
    #expect(root { parts in parts.open.removeLast() } == nil)
    #expect(root { parts in parts.open.append(parts.open[0]) } == nil)
    #expect(root { parts in parts.gone[0].commitment = parts.gone[1].commitment } != redaction.commitment)
    #expect(root { parts in parts.open[0].salt = parts.open[1].salt } != redaction.commitment)
  }

  /// The forged line keeps its checksum, and says that more was kept than was committed to.
  @Test func aLineThatKeptSomethingElseIsRefused() throws {
    var line = try Self.lines("after")[3]
    let text = String(decoding: line, as: UTF8.self).replacing(#""nights":3"#, with: #""nights":4"#)
    line = Array(text.utf8)
    let fault = #expect(throws: LineForm.Fault.self) { try Self.leaf(line) }
    #expect(fault?.message == "what a redaction kept is not what the line was committed to")
  }

  /// Every change of a byte before the commit mark changes the leaf, or is refused. The replacements and what is said of the
  /// redaction are not part of the leaf: the `@redact` record vouches for them.
  @Test(arguments: [3, 4])
  func aChangedByteChangesTheLeaf(index: Int) throws {
    let line = try Self.lines("before")[index]
    let leaf = try Self.leaf(line)
    for offset in 0..<line.count - 18 {
      for bit in 0..<8 {
        var changed = line
        changed[offset] ^= 1 << bit
        // What is not JSON never gets here.
        guard (try? JSONTape(parsing: changed)) != nil else { continue }
        #expect((try? Self.leaf(changed)) != leaf, "byte \(offset), bit \(bit)")
      }
    }
  }

  @Test(arguments: [
    #","salt":"UrxBLNJ5-cloHL7nBOlHyA","data":{"a": 1}"#,
    #","salt":"UrxBLNJ5-cloHL7nBOlHyA", "data":{}"#,
    #","salt":"UrxBLNJ5-cloHL7nBOlHyA","data":{},"meta":{} "#,
    #","salt":"UrxBLNJ5-cloHL7nBOlHyA","data":{},"more":1"#,
    #","salt":"UrxBLNJ5-cloHL7nBOlHyA","meta":{},"data":{}"#,
    #","salt":"UrxBLNJ5-cloHL7nBOlHyA","data":[]"#,
    #","salt":"UrxBLNJ5-cloHL7nBOlHyB","data":{}"#,
    #","salt":"UrxBLNJ5-cloHL7nBOlHy","data":{}"#,
    #","salt":"UrxBLNJ5+cloHL7nBOlHyA","data":{}"#,
    #","salt":17,"data":{}"#,
    #","commitment":"3SHYkuqtMn4LbfXws1O9z-Hw9h63tS1FZzaKzIiO-B0","data":{}"#,
    #","commitment":"3SHYkuqtMn4LbfXws1O9z-Hw9h63tS1FZzaKzIiO-B1","data":{},"redacted":{"by":1,"gone":{},"open":{}},"fill":"HHHHHHHH""#,
    #","commitment":"3SHYkuqtMn4LbfXws1O9z-Hw9h63tS1FZzaKzIiO-B0","data":{},"redacted":{"by":1,"gone":{},"open":{}},"fill":"HHHHHHHG""#,
    #","commitment":"3SHYkuqtMn4LbfXws1O9z-Hw9h63tS1FZzaKzIiO-B0","data":{},"redacted":{"open":{},"gone":{}},"fill":"HHHHHHHH""#,
  ])
  func malformedFormsAreRefused(rest: String) throws {
    let start = #"{"seq":1,"time":"2026-11-21T09:00:04.031676Z","type":"a","synced":0,"prev":"209c8407""#
    #expect(throws: LineForm.Fault.self) { try Self.leaf(Array((start + rest + #","crc":"00000000"}"#).utf8)) }
  }

  @Test(arguments: [
    #"{"seq":1,"time":"2026-11-21T09:00:04.031676Z","type":"a","synced":0,"prev":"209c8407","data":{},"salt":"x""#,
    #"{"seq":1,"time":"2026-11-21T09:00:04.031676Z","type":"a","synced":0,"prev":"209c8407", "salt":"x","data":{}"#,
    #"{"time":"2026-11-21T09:00:04.031676Z","seq":1,"type":"a","synced":0,"prev":"209c8407","data":{}"#,
    #"{"seq":1,"salt":"x","time":"2026-11-21T09:00:04.031676Z","type":"a\"","synced":0,"prev":"209c8407","data":{}"#,
  ])
  func allOtherLinesArePlain(body: String) throws {
    let line = Array((body + #","crc":"00000000"}"#).utf8)
    #expect(try Self.form(line).kind == .plain)
    #expect(try Self.leaf(line).bytes == SHA256.hash([0] + Array(body.utf8)))
  }

  @Test func aSaltAfterOtherMembersIsRefused() throws {
    let text =
      #"{"time":"2026-11-21T09:00:04.031676Z","seq":1,"type":"a","synced":0,"prev":"209c8407","salt":"UrxBLNJ5-cloHL7nBOlHyA","data":{},"crc":"00000000"}"#
    #expect(throws: LineForm.Fault.self) { try Self.leaf(Array(text.utf8)) }
  }

  @Test func deepContentIsRefusedWithoutRecursion() throws {
    let salt = try #require(LineSalt(repeatElement(7, count: 16)))
    var commitment = Commitment()
    for depth in [126, 127, 1_000_000] {
      let text = #"{"a":"# + String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth) + "}"
      let isAccepted = (try? commitment.commitment(data: Array(text.utf8), meta: nil, salt: salt)) != nil
      #expect(isAccepted == (depth == 126), "\(depth) arrays")
    }
  }
}

extension Commitment {
  /// Returns the commitment to the content of a line.
  fileprivate mutating func commitment(
    data: [UInt8], meta: [UInt8]?, salt: LineSalt
  ) throws -> SHA256Digest {
    try data.withUnsafeBytes { data in
      guard let meta else { return try commitment(data: data, meta: nil, salt: salt) }
      return try meta.withUnsafeBytes { meta in try commitment(data: data, meta: meta, salt: salt) }
    }
  }
}

@Suite("Base64") struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func matchesTheVectorsOfTheRFC(text: String, encoded: String) {
    #expect(Base64.text(Array(text.utf8)) == encoded)
    #expect(Base64.text(Array(text.utf8), .url) == encoded.replacing("=", with: ""))
    #expect(Base64.bytes(encoded.utf8) == Array(text.utf8))
    #expect(Base64.bytes(encoded.replacing("=", with: "").utf8, .url) == Array(text.utf8))
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "Z", "Z===", "=Zg=", "Zg==Zg==", "Zm-v", "Zm 9", "====",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(Base64.bytes(text.utf8) == nil)
  }

  @Test(arguments: ["Zg==", "Zh", "Z", "Zm+v"])
  func anythingElseIsRefusedInURLs(text: String) {
    #expect(Base64.bytes(text.utf8, .url) == nil)
  }
}
