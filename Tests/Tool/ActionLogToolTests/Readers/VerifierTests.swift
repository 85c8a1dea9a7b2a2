import ActionLog
import ActionLogMaintenance
import Foundation
import FuzzKit
import JSONCoding
import TestSupport
import Testing

/// Two independent programs, written from the format page, reach the same verdict.
@Suite("The verifier in Python", .enabled(if: Executable.find("python3") != nil, "needs python3"))
struct VerifierTests {
  private static let vectors =
    ReadersTests.logs.map { name in "logs/\(name)" } + ["Tests/Engine/ActionLogTests/Fixtures/vectors/log-fresh"]
    + (1...3).map { number in "Tests/Engine/EventSourcingTests/Golden/shop-\(number)" }
    + ["redactable/before", "redactable/after", "redactable/interrupted", "Pruned", "forged/cut"].map { name in
      "Tests/Engine/ActionLogTests/Fixtures/Evidence/\(name)"
    }

  /// The files of a log.
  private typealias Files = [String: [UInt8]]

  private static func files(of vector: String) throws -> Files {
    var files: Files = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: "\(ReadersTests.root)/\(vector)") {
      let isOfLog = !name.contains("/") && (name.hasSuffix(".jsonl") || name == "HEAD" || name == "base.json")
      guard isOfLog || name.wholeMatch(of: #/proofs/tile/.*[0-9]/#) != nil else { continue }
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: "\(ReadersTests.root)/\(vector)/\(name)", isDirectory: &isDirectory)
      guard !isDirectory.boolValue else { continue }
      files[name] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(ReadersTests.root)/\(vector)/\(name)")))
    }
    return files
  }

  /// Compares what both say of logs.
  ///
  /// - Returns: How often each verdict was given.
  private static func compare(_ logs: [(name: String, files: Files)]) throws -> [String: Int] {
    let directory = try TemporaryDirectory()
    var paths: [String] = []
    for (index, log) in logs.enumerated() {
      let path = directory.path("log-\(index)")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for (name, bytes) in log.files {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
      }
      paths.append(path)
    }
    let run = try ProgramRun(["python3", "-B", "\(ReadersTests.root)/logs/readers/verify.py"] + paths)
    let answers = run.output.split(separator: "\n")
    try #require(answers.count == logs.count, "\(run.messages)")
    var counts: [String: Int] = [:]
    for (index, answer) in answers.enumerated() {
      let answer = try JSONValue(parsing: Array(answer.utf8))
      let verdict = answer["verdict"]?.text ?? ""
      counts[verdict, default: 0] += 1
      do throws(LogError) {
        let report = try LogVerifier.verify(at: paths[index])
        #expect(report.verdict.rawValue == verdict, "\(logs[index].name): \(answer), \(report.problems)")
        #expect(report.lastRevision == answer["lastSeq"]?.integer, "\(logs[index].name): \(answer)")
        #expect(report.actionCount == answer["actions"]?.integer, "\(logs[index].name): \(answer)")
      } catch {
        #expect(verdict == "error", "\(logs[index].name): \(answer), \(error)")
      }
    }
    return counts
  }

  @Test("agrees with the tool on every vector, with the same status")
  func vectors() throws {
    let logs = try Self.vectors.map { vector in (name: vector, files: try Self.files(of: vector)) }
    #expect(try Self.compare(logs) == ["clean": logs.count])
    let script = "\(ReadersTests.root)/logs/readers/verify.py"
    let segment = "\(ReadersTests.root)/logs/animals/0000000000000001.jsonl"
    #expect(try ProgramRun(["python3", script, segment]).status == 0)
    #expect(try ProgramRun(["python3", script, ReadersTests.root + "/logs"]).status == 3)
    let directory = try TemporaryDirectory()
    let torn = directory.path("torn.jsonl")
    try Data(try Self.files(of: "logs/animals")["0000000000000001.jsonl"]?.dropLast(9) ?? []).write(
      to: URL(fileURLWithPath: torn))
    #expect(try ProgramRun(["python3", script, segment, torn]).status == 1)
  }

  @Test("agrees on units that are cut, changed, or lost in part")
  func units() throws {
    let directory = try TemporaryDirectory()
    let log = directory.path("log")
    func bytes(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: "\(log)/\(name)")))
    }
    let segment = "0000000000000001.jsonl"
    let writer = try LogWriter.open(at: log, model: "m", schema: 1)
    try writer.appendNow([LogDraft(type: "add", data: Array("{}".utf8))])
    let (start, head) = (try bytes(segment).count, try bytes("HEAD"))
    let actions = (0..<8).map { number in LogDraft(type: "add", data: Array(#"{"number":\#(number)}"#.utf8)) }
    try writer.appendNow([LogDraft(UnitRecord(actions: actions.count))] + actions)
    let (whole, newHead) = (try bytes(segment), try bytes("HEAD"))
    try writer.closeNow()
    let closed = try bytes(segment)
    var logs: [(name: String, files: Files)] = []
    for size in stride(from: start, through: whole.count, by: 53) {
      for (name, head) in [("old", head), ("new", newHead), ("no", [])] {
        var files = [segment: Array(whole[..<size])]
        if !head.isEmpty { files["HEAD"] = head }
        logs.append(("\(size) bytes, \(name) HEAD", files))
      }
    }
    for offset in stride(from: start + 7, to: whole.count, by: 211) {
      var changed = whole
      changed[offset] ^= 1
      logs.append(("changed at \(offset)", [segment: changed, "HEAD": head]))
      var durable = closed
      durable[offset] ^= 1
      logs.append(("changed at \(offset), closed", [segment: durable, "HEAD": head]))
    }
    var lost = whole
    let sector = (start / 512 + 1) * 512
    lost.replaceSubrange(sector..<sector + 512, with: repeatElement(0, count: 512))
    logs.append(("lost", [segment: lost, "HEAD": head]))
    let counts = try Self.compare(logs)
    #expect(Set(counts.keys) == ["clean", "torn", "damaged"])
  }

  @Test("agrees that all actions of a segment have one schema", arguments: [1, 2, 3])
  func schemas(opened schema: Int) throws {
    let time = "2026-11-21T09:00:00.000000Z"
    let header =
      #"{"format":"actionlog/1","log":"3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11","model":"m","schema":2,"first":1,"epoch":1,"created":"\#(time)"}"#
    let open = #"{"epoch":2,"schema":\#(schema),"program":"p","pid":1,"host":"h"}"#
    let records = [(0, "@segment", header), (0, "@open", open), (1, "add", "{}"), (1, "@open", open), (2, "add", "{}")]
    /// A segment of some of them.
    func files(_ indices: [Int]) -> Files {
      var prev = "00000000"
      var bytes: [UInt8] = []
      for index in indices {
        let (revision, type, data) = records[index]
        var line = Array(
          #"{"seq":\#(revision),"time":"\#(time)","type":"\#(type)","synced":0,"prev":"\#(prev)","data":\#(data)"#.utf8)
        prev = ChecksumDigits.text(CRC32C.checksum(of: line))
        CommitMark.append(to: &line)
        bytes += line
      }
      return ["0000000000000001.jsonl": bytes]
    }
    // Before the first action any schema is valid.
    #expect(try Self.compare([("before", files([0, 1, 2, 3, 4]))]) == ["clean": 1])
    let counts = try Self.compare([("after", files([0, 2, 3, 4]))])
    #expect(counts == [schema == 2 ? "clean" : "damaged": 1])
  }

  @Test("agrees on the members of a parent")
  func parents() throws {
    let root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    let strayBits = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV="
    let parents: [(members: String, isValid: Bool)] = [
      ("", true), (#","lines":9,"root":"\#(root)""#, true), (#","lines":9"#, false),
      (#","root":"\#(root)""#, false), (#","lines":0,"root":"\#(root)""#, false), (#","lines":9,"root":9"#, false),
      (#","lines":9,"root":"\#(root.dropLast(4))""#, false),
      (#","lines":9,"root":"\#(strayBits)""#, false),
    ]
    let logs = parents.map { parent in
      let time = "2026-11-21T09:00:00.000000Z"
      let id = "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
      var line = Array(
        (#"{"seq":0,"time":"\#(time)","type":"@segment","synced":0,"prev":"00000000","data":{"format":"actionlog/1","#
          + #""log":"\#(id)","model":"m","schema":1,"first":1,"epoch":1,"created":"\#(time)","#
          + #""parent":{"log":"other","seq":3,"crc":"01234567"\#(parent.members)}}"#).utf8)
      CommitMark.append(to: &line)
      return (name: parent.members, files: ["0000000000000001.jsonl": line] as Files)
    }
    for (log, parent) in zip(logs, parents) {
      #expect(try Self.compare([log]) == [parent.isValid ? "clean" : "damaged": 1], "\(log.name)")
    }
  }

  @Test("agrees on every seed of the fuzzer")
  func corpus() throws {
    let directory = "\(ReadersTests.root)/Tests/Fuzzing/Tests/Corpus/segment"
    let logs = try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
      let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)")))
      return (name: name, files: FuzzEntry.logFiles(of: bytes))
    }
    let counts = try Self.compare(logs)
    #expect(Set(counts.keys).isSuperset(of: ["clean", "damaged", "torn"]))
  }

  @Test("agrees on the intact part of a changed log", arguments: [1, 2, 3] as [UInt64])
  func mutations(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // A base without tiles is damage that both report, and a changed tile is not a change of the log.
    let originals = try Self.vectors.map { vector in
      try Self.files(of: vector).filter { name, _ in !name.contains("/") }
    }
    let logs = (0..<150).map { number in
      var files = originals[number % originals.count]
      let change = Self.change(&files, using: &generator)
      return (name: "seed \(seed), log \(number): \(change)", files: files)
    }
    let counts = try Self.compare(logs)
    #expect(Set(counts.keys).isSuperset(of: ["clean", "damaged", "torn"]), "seed \(seed): \(counts)")
  }

  /// Changes a log as disks, crashes and users do.
  ///
  /// - Returns: What was done.
  private static func change(_ files: inout Files, using generator: inout SeededGenerator) -> String {
    let name = files.keys.filter { name in name.hasSuffix(".jsonl") }.min() ?? ""
    guard var bytes = files[name] else { return "nothing" }
    if Bool.random(using: &generator) { files["HEAD"] = nil }
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    let kind = Int.random(in: 0..<9, using: &generator)
    var lines = bytes.split(separator: 10).map { line in Array(line) }
    let line = Int.random(in: 0..<lines.count, using: &generator)
    switch kind {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1: bytes.removeLast(bytes.count - place)
    case 2:
      bytes.replaceSubrange(
        place..<min(place + 700, bytes.count), with: repeatElement(0, count: min(700, bytes.count - place)))
    case 3: bytes += Array(repeating: 0, count: 600)
    case 4: lines.remove(at: line)
    case 5: lines.insert(lines[line], at: line)
    case 6: lines.swapAt(line, lines.count - 1)
    case 7:
      // A line with a valid checksum and other contents.
      var body = Array(lines[line].dropLast(CommitMark.sizeBytes - 1))
      let digits = body.indices.filter { index in (0x30...0x39).contains(body[index]) }
      if let index = digits.randomElement(using: &generator) {
        body[index] = body[index] == 0x39 ? 0x30 : body[index] + 1
      }
      CommitMark.append(to: &body)
      lines[line] = body.dropLast()
    default:
      files["HEAD"] = files["HEAD"].map { head in Array(head.dropLast(Int.random(in: 0..<40, using: &generator))) }
    }
    if (4...7).contains(kind) { bytes = lines.flatMap { line in line + [10] } }
    files[name] = bytes
    return "kind \(kind), byte \(place), line \(line)"
  }
}
