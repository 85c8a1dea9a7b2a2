import ActionLog
import ActionLogTesting
import Foundation
import TestSupport
import Testing

@Suite("Torn tails", .timeLimit(.minutes(60)))
struct TornTailTests {
  /// A log of three actions whose last line is torn.
  private func tornStory() throws -> LogStory {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    let head = try story.files.contents(of: story.head)
    _ = try writer.writeNow([.numbered(3)])
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    try story.change { bytes in bytes.removeLast(40) }
    return story
  }

  @Test func tornTailIsQuarantinedAndReported() throws {
    let story = try tornStory()
    let offset = try story.lineOffsets()[4]
    let torn = Array(try story.bytes()[offset...])
    let writer = try story.open()
    let file = "quarantine/0000000000000001.jsonl.\(offset).torn"
    #expect(writer.opening.recovered == LogOpening.Recovered(bytes: torn.count, file: file))
    #expect(writer.opening.lastRevision == 2)
    #expect(try story.files.contents(of: "/log/" + file) == torn)
    #expect(
      try story.lines()[4].contains(#""host":"mac","recovered":{"bytes":\#(torn.count),"file":"\#(file)"}}"#))
    try writer.appendNow([.numbered(4)])
    try writer.closeNow()
    #expect(try story.read().actions == [1, 2, 4])
    let report = String(
      decoding: try story.files.contents(of: "/log/quarantine/0000000000000001.jsonl.\(offset).json"), as: UTF8.self)
    #expect(
      report.hasPrefix(
        #"{"segment":"0000000000000001.jsonl","byte":\#(offset),"bytes":\#(torn.count),"after":2,"time":"2026-"#))
    #expect(report.hasSuffix(#""reason":"the line has no line feed"}"# + "\n"))
  }

  @Test func theCopyIsDurableBeforeTheTruncation() throws {
    var story = try tornStory()
    let door = FaultyFileSystem(story.files)
    story.door = door
    _ = try story.open()
    let changes: [FileCall.Operation] = [
      .createDirectory, .syncDirectory, .append, .write, .sync, .truncate, .rename, .remove,
    ]
    let steps = door.calls.filter { call in changes.contains(call.operation) }.map { call in
      call.operation.rawValue + " " + (call.path.split(separator: ".").last.map(String.init) ?? "")
    }
    #expect(
      steps == [
        "syncDirectory /", "sync jsonl", "syncDirectory /log",
        "write jsonl", "sync jsonl",
        "createDirectory /log/quarantine", "syncDirectory /log",
        "append torn", "sync torn", "append json", "sync json",
        "syncDirectory /log/quarantine", "truncate jsonl", "sync jsonl",
        "append jsonl", "sync jsonl", "write /log/HEAD",
      ])
  }

  @Test(arguments: [FileCall.Operation.createDirectory, .append, .sync, .syncDirectory, .open])
  func bytesThatCannotBeKeptAreNotTruncated(operation: FileCall.Operation) throws {
    var story = try tornStory()
    let before = try story.bytes()
    let door = FaultyFileSystem(
      story.files,
      faults: [
        FileFault(operation, lasts: true, code: .noSpace, pathSuffix: operation == .createDirectory ? nil : ".torn")
      ]
    )
    if operation == .syncDirectory { door.add(FileFault(operation, lasts: true, code: .noSpace)) }
    story.door = door
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .noSpace)
    #expect(try story.bytes() == before)
    #expect(try story.read().actions == [1, 2], "the log can still be read")
    door.heal()
    #expect(try story.open().opening.lastRevision == 2)
  }

  @Test func quarantineUsesTheFirstUnusedName() throws {
    let story = try tornStory()
    try story.files.setContents([1], of: "/log/quarantine")
    try story.files.setContents([2], of: "/log/quarantine-2")
    let writer = try story.open()
    let file = try #require(writer.opening.recovered?.file)
    #expect(file.hasPrefix("quarantine-3/0000000000000001.jsonl.") && writer.opening.lastRevision == 2)
    #expect(try story.files.status(of: "/log/" + file)?.kind == .file)
    #expect(try story.files.contents(of: "/log/quarantine") == [1])
    try writer.closeNow()
    // A later torn tail goes to the same directory.
    try story.change { bytes in bytes.append(0x7B) }
    #expect(try story.open().opening.recovered?.file.hasPrefix("quarantine-3/") == true)
  }

  @Test func exhaustedQuarantineNamesAreReported() throws {
    let story = try tornStory()
    let before = try story.bytes()
    for number in 1...100 {
      try story.files.setContents([1], of: "/log/quarantine" + (number == 1 ? "" : "-\(number)"))
    }
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.code == .notALog && error?.path == "/log/quarantine")
    #expect(error?.advice?.description.contains("move the file at that path away") == true)
    #expect(error?.intact == "The log can be read. Actions 1…2 are intact.")
    #expect(try story.bytes() == before)
  }

  /// Files of other programs with names that the engine uses.
  @Test(arguments: ["quarantine", "snapshots", "marks.jsonl", "0000000000000009.jsonl.new", "HEAD.old"])
  func aForeignFileNeverPreventsOpening(name: String) throws {
    for isDirectory in [true, false] {
      let story = try tornStory()
      let path = "/log/" + name
      if isDirectory {
        try story.files.createDirectory(path)
        try story.files.setContents([1], of: path + "/file")
      } else {
        try story.files.setContents([1], of: path)
      }
      let writer = try story.open()
      #expect(writer.opening.lastRevision == 2 && writer.opening.recovered != nil)
      try writer.appendNow([.numbered(3)])
      try writer.closeNow()
      #expect(try story.read().actions == [1, 2, 3])
      if isDirectory { #expect(try story.files.contents(of: path + "/file") == [1]) }
    }
  }

  /// Regression: the torn bytes went to the link's target.
  @Test func aSymbolicLinkInPlaceOfTheQuarantineIsNotFollowed() throws {
    let story = try tornStory()
    let directory = try TemporaryDirectory()
    let path = directory.path("log")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for file in story.files.filePaths {
      try POSIXFileSystem().make(path + file.dropFirst("/log".count), try story.files.contents(of: file))
    }
    try FileManager.default.createDirectory(atPath: directory.path("aside"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: path + "/quarantine", withDestinationPath: directory.path("aside"))
    let writer = try LogWriter.open(at: path, model: "counter", schema: 1)
    #expect(writer.opening.recovered?.file.hasPrefix("quarantine-2/") == true)
    try writer.closeNow()
    #expect(try POSIXFileSystem().names(in: directory.path("aside")).isEmpty)
  }

  @Test(arguments: [
    (FileSystemError.Code.noSpace, "Make room"), (.permissionDenied, "writable"),
    (.readOnlyFileSystem, "writable"), (.fileTooLarge, "ulimit -f"), (.inputOutput, "Remove the cause"),
    (.exists, "move the file"),
  ])
  func aQuarantineFailureHasAdvice(code: FileSystemError.Code, advice: String) throws {
    var story = try tornStory()
    story.door = FaultyFileSystem(story.files, faults: [FileFault(.createDirectory, code: code)])
    let error = #expect(throws: LogError.self) { try story.open() }
    #expect(error?.advice?.description.contains(advice) == true, "\(String(describing: error?.advice))")
  }

  @Test func aRefusedLogKeepsItsTornTail() throws {
    let story = try tornStory()
    let before = try story.bytes()
    #expect(#expect(throws: LogError.self) { try story.open(model: "animals") }?.code == .wrongModel)
    #expect(try story.bytes() == before)
  }

  @Test func theSameOffsetCanBeTornTwice() throws {
    let story = try tornStory()
    let torn = try story.bytes()
    for name in ["torn", "-2.torn", "-3.torn"] {
      try story.files.setContents(torn, of: story.segment())
      try story.removeHead()
      let writer = try story.open()
      #expect(writer.opening.recovered?.file.hasSuffix(name) == true)
      writer.abandon()
    }
  }

  @Test func readersStopBeforeATornTail() throws {
    let story = try tornStory()
    let offset = try story.lineOffsets()[4]
    let read = try story.read()
    #expect(read.actions == [1, 2])
    guard case .torn(let bytes, let place) = read.ending else {
      Issue.record("\(String(describing: read.ending))")
      return
    }
    #expect(bytes == (try story.bytes().count) - offset)
    #expect(place == LogPlace(path: story.segment(), byteOffset: offset, line: 5))
  }

  /// Truncated at any byte, with the `HEAD` of that moment, the log opens without losing an acknowledged action.
  @Test func everyPrefixOpensAndLosesNothingAcknowledged() throws {
    let story = LogStory(durability: .written)
    let writer = try story.open()
    var heads = [(revision: 0, bytes: try story.bytes().count, head: try story.files.contents(of: story.head))]
    for unit in 0..<4 {
      _ = try writer.writeNow((1...3).map { part in .numbered(unit * 3 + part) })
      let receipt = try writer.syncNow()
      heads.append((receipt.revision, try story.bytes().count, try story.files.contents(of: story.head)))
    }
    try writer.closeNow()
    let whole = try story.bytes()
    let offsets = try story.lineOffsets()
    for length in offsets[1]...whole.count {
      let acknowledged = heads.last { head in head.bytes <= length }
      let cut = LogStory()
      try cut.files.setContents(Array(whole[..<length]), of: cut.segment())
      if let acknowledged { try cut.files.setContents(acknowledged.head, of: cut.head) }
      let opened = try cut.open()
      #expect(opened.opening.lastRevision >= acknowledged?.revision ?? 0, "cut to \(length) bytes")
      let lines = offsets.count { offset in offset <= length && offset > offsets[2] }
      #expect(opened.opening.lastRevision == min(lines, 12), "cut to \(length) bytes")
      #expect((opened.opening.recovered == nil) == offsets.contains(length), "cut to \(length) bytes")
      opened.abandon()
      // A newer HEAD reveals that bytes are missing.
      if let newer = heads.first(where: { head in head.bytes > length }) {
        let missing = LogStory()
        try missing.files.setContents(Array(whole[..<length]), of: missing.segment())
        try missing.files.setContents(newer.head, of: missing.head)
        #expect(#expect(throws: LogError.self) { try missing.open() }?.code == .damaged, "cut to \(length) bytes")
      }
    }
  }
}
