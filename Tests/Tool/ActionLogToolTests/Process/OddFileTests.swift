import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite("A file that is not regular, as a segment")
struct OddFileTests {
  enum Kind: String, CaseIterable, Sendable {
    case fifo, directory, symbolicLink, danglingLink

    /// Replaces a segment by the file under test.
    func make(at path: String, insteadOf moved: String) throws {
      switch self {
      case .fifo: guard mkfifo(path, 0o600) == 0 else { throw SystemFailure("mkfifo") }
      case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      case .symbolicLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
      case .danglingLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
      }
    }
  }

  @Test(arguments: Kind.allCases.filter { kind in kind != .directory })
  func aPathThatIsNoDirectoryIsNamed(kind: Kind) async throws {
    let log = try await LogOnDisk(increments: 1)
    let path = log.path + "-odd"
    try kind.make(at: path, insteadOf: log.path)
    let (what, advice) =
      kind == .fifo
      ? ("a device, pipe or socket", "A log is a directory")
      : ("a symbolic link, which is not followed", "Use the path")
    for command in [["list"], ["verify"], ["record", "counter"]] {
      let run = try await ToolRun(command + [path], input: LogOnDisk.increment)
      #expect(run.ending == .status(3), "\(command)")
      #expect(run.messages.contains(": the path is \(what): \(path)\n\(advice)"), "\(command): \(run.messages)")
    }
  }

  @Test func adviceFitsTheErrorOfTheSystem() async throws {
    let directory = try TemporaryDirectory()
    let name = directory.path + "/" + String(repeating: "x", count: 300)
    for command in [["list"], ["verify"], ["record", "counter"]] {
      let run = try await ToolRun(command + [name], input: LogOnDisk.increment)
      #expect(run.messages.contains("File name too long"), "\(run.messages)")
      #expect(run.messages.contains("Use a shorter name"), "\(run.messages)")
    }
  }

  @Test("is a clear error for readers and writers, and no process blocks on it", arguments: Kind.allCases)
  func only(kind: Kind) async throws {
    let log = try await LogOnDisk(increments: 3)
    let moved = log.path + "-moved"
    try FileManager.default.moveItem(atPath: log.firstSegment, toPath: moved)
    try kind.make(at: log.firstSegment, insteadOf: moved)
    let before = try log.bytes(moved)
    let what = "the segment is not a regular file: \(log.firstSegment), seq 1"
    for command in [["state"], ["list"], ["list", "--format", "lines"], ["record", "counter"], ["backup"]] {
      let run = try await ToolRun(
        command + [log.path] + (command == ["backup"] ? [log.path + "-copy"] : []), input: LogOnDisk.increment)
      #expect(run.ending == .status(1), "\(command)")
      #expect(run.output.isEmpty, "\(command)")
      #expect(run.messages.hasPrefix("error: \(what)"), "\(command): \(run.messages)")
      let isLink = kind == .symbolicLink || kind == .danglingLink
      #expect(run.messages.contains("Symbolic links are not followed") == isLink, "\(run.messages)")
    }
    let verify = try await ToolRun(["verify", log.path])
    #expect(verify.ending == .status(1))
    #expect(verify.output.contains("! \(what)\n"), "\(verify)")
    #expect(try log.bytes(moved) == before)
  }

  @Test("is a gap to salvage, which saves the actions before and after it", arguments: Kind.allCases)
  func inTheMiddle(kind: Kind) async throws {
    let directory = try TemporaryDirectory()
    let log = directory.path + "/log"
    let record = try await ToolRun(["record", "counter", log, "--workload", "60", "--segment-size", "4K"])
    try #require(record.ending == .status(0), "\(record.messages)")
    let names = try FileManager.default.contentsOfDirectory(atPath: log).filter { name in name.hasSuffix(".jsonl") }
    try #require(names.count > 2)
    let odd = log + "/" + names.sorted()[1]
    let moved = directory.path + "/moved"
    try FileManager.default.moveItem(atPath: odd, toPath: moved)
    try kind.make(at: odd, insteadOf: moved)
    let verify = try await ToolRun(["verify", log])
    #expect(verify.ending == .status(1))
    #expect(verify.output.contains("the segment is not a regular file: \(odd), seq "), "\(verify)")
    let salvage = try await ToolRun(["salvage", log, directory.path + "/saved"])
    #expect(salvage.ending == .status(0), "\(salvage.messages)")
    #expect(salvage.output.contains("! the segment is not a regular file: \(odd), byte 0"), "\(salvage)")
    #expect(salvage.output.contains("in \(directory.path)/saved/after-gap.jsonl"), "\(salvage)")
    #expect(try await ToolRun("verify", directory.path + "/saved").ending == .status(0))
  }

  @Test("as HEAD is reported by readers, and refused by writers", arguments: Kind.allCases)
  func head(kind: Kind) async throws {
    let log = try await LogOnDisk(increments: 3)
    let head = log.path + "/HEAD"
    let moved = log.path + "-moved"
    try FileManager.default.moveItem(atPath: head, toPath: moved)
    try kind.make(at: head, insteadOf: moved)
    for command in [["state"], ["list"], ["replay"]] {
      let run = try await ToolRun(command + [log.path])
      #expect(run.ending == .status(0), "\(command): \(run.messages)")
      #expect(run.messages.contains("warning: HEAD cannot be read ("), "\(command): \(run.messages)")
    }
    for command in [["record", "counter"], ["repair"]] {
      let run = try await ToolRun(command + [log.path], input: LogOnDisk.increment)
      #expect(run.ending == .status(3), "\(command)")
      #expect(run.messages.contains("error: HEAD cannot be read ("), "\(command): \(run.messages)")
      #expect(run.messages.contains("move it away"), "\(run.messages)")
    }
    let verify = try await ToolRun(["verify", log.path])
    #expect(verify.ending == .status(1))
    #expect(verify.output.contains("! HEAD cannot be read ("), "\(verify)")
    #expect(verify.messages.contains("Every record is intact."), "\(verify)")
    let backup = try await ToolRun(["backup", log.path, log.path + "-copy"])
    #expect(backup.ending == .status(1))
    #expect(backup.messages.contains("/HEAD was left out of the copy: HEAD cannot be read"), "\(backup)")
    #expect(try await ToolRun("verify", log.path + "-copy").ending == .status(0))
  }

  /// Regression: the advice was for a path of a log.
  @Test func theLakeMustBeADirectory() async throws {
    let log = try await LogOnDisk(increments: 1)
    let fifo = log.path + "-fifo"
    try Kind.fifo.make(at: fifo, insteadOf: "")
    let file = log.path + "-file"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    for path in [fifo, "/dev/null", file] {
      let run = try await ToolRun("ship", log.path, path)
      #expect(run.ending == .status(2), "\(run)")
      #expect(
        run.messages.contains("the path to ship to is not a directory: \(path)\nName a separate directory"), "\(run)")
    }
  }

  @Test("restore and ship leave a snapshot out that is not a file", arguments: Kind.allCases)
  func snapshot(kind: Kind) async throws {
    let log = try await LogOnDisk(increments: 3)
    let lake = log.path + "-lake"
    try FileManager.default.createDirectory(atPath: log.path + "/snapshots", withIntermediateDirectories: true)
    let odd = "/snapshots/0000000000000001.json"
    try kind.make(at: log.path + odd, insteadOf: log.firstSegment)
    let ship = try await ToolRun("ship", log.path, lake)
    #expect(ship.ending == .status(0), "\(ship)")
    let warning = "was left out of the copy: a different kind of file has its name"
    #expect(ship.messages.contains(log.path + odd + " " + warning), "\(ship)")
    let side = try #require(try FileManager.default.contentsOfDirectory(atPath: lake + "/_logs").first)
    let folder = lake + "/_logs/" + side + "/snapshots"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try kind.make(at: lake + "/_logs/" + side + odd, insteadOf: log.firstSegment)
    for partial in [[], ["--partial"]] {
      let restore = try await ToolRun(
        ["restore", lake + "/model=counter/log=" + side, log.path + "-restored\(partial.count)"] + partial)
      #expect(restore.ending == .status(0), "\(restore)")
      #expect(restore.messages.contains(odd + " " + warning), "\(restore)")
    }
  }

  @Test("is an error as the newest segment, too", arguments: Kind.allCases)
  func newest(kind: Kind) async throws {
    let log = try await LogOnDisk(increments: 3)
    let odd = log.path + "/0000000000000004.jsonl"
    try kind.make(at: odd, insteadOf: log.firstSegment)
    for command in [["state"], ["record", "counter"]] {
      let run = try await ToolRun(command + [log.path], input: LogOnDisk.increment)
      #expect(run.ending == .status(3) || run.ending == .status(1), "\(command)")
      #expect(run.messages.contains(odd), "\(run.messages)")
    }
    #expect(try await ToolRun("verify", log.path).ending != .status(0))
  }
}

@Suite("Paths of a shipped log, relative to the directory of the process")
struct ShippedPathTests {
  @Test("show that the newest segment is missing, also from inside the log")
  func everyPathLeadsToTheLog() async throws {
    let directory = try TemporaryDirectory()
    let lake = directory.path("lake")
    let record = try await ToolRun(
      "record", "counter", directory.path("log"), "--workload", "120", "--segment-size", "4K")
    try #require(record.ending == .status(0), "\(record.messages)")
    let shipped = try await ToolRun("ship", directory.path("log"), lake, "--json")
    let newest = try JSONValue(parsing: Array(try #require(shipped.lines.last).utf8))["path"]?.text ?? ""
    try FileManager.default.removeItem(atPath: newest)
    let log = URL(filePath: newest).deletingLastPathComponent().deletingLastPathComponent()
    let name = log.lastPathComponent
    try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: log.path)
    let calls = [
      (log.path, "."), (log.path, "./"), (log.path, "../" + name), (log.deletingLastPathComponent().path, name),
      (log.path, ".."), (lake, "model=counter/./" + name), (directory.path, "link"), (directory.path, "lake"),
    ]
    for (place, path) in calls {
      // The executable is the last word of the launcher's script.
      let run = try await ToolRun(
        ["verify", path, "--json"], launcher: ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, place])
      #expect(run.ending == .status(1), "\(place) \(path): \(run)")
      let answer = try JSONValue(parsing: Array(try #require(run.lines.first).utf8))
      #expect(answer["verdict"] == "damaged", "\(place) \(path): \(run.output)")
      let segments = answer["segments"]?.elements ?? []
      #expect(segments.count > 2, "\(place) \(path)")
      for segment in segments {
        let file = URL(
          filePath: segment["path"]?.text ?? "", relativeTo: URL(filePath: place, directoryHint: .isDirectory))
        #expect(FileManager.default.fileExists(atPath: file.path), "\(place) \(path): \(file.path)")
        #expect(file.deletingLastPathComponent().lastPathComponent.hasPrefix("date="), "\(file.path)")
      }
      #expect(run.output.contains(String(newest.suffix(40))), "\(run.output)")
    }
  }

  /// Commands do not follow links, so no error proposes one.
  @Test func adviceNamesNoLinkedLogs() async throws {
    let directory = try TemporaryDirectory()
    let record = try await ToolRun("record", "counter", directory.path("log"), "--workload", "3")
    try #require(record.ending == .status(0), "\(record.messages)")
    try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: "log")
    for (words, advice) in [
      (["list"], "This folder contains the log 'log'."), (["show", ".", "1"], "It contains the log 'log'."),
      (["list", "lin"], "'action-log record MODEL LOG' creates a log."),
    ] {
      let run = try await ToolRun(
        words, launcher: ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, directory.path])
      #expect(run.messages.contains(advice), "\(words): \(run.messages)")
    }
  }

  #if os(Linux)
  /// It fails to read, which is no fault of the disk.
  @Test func repairReadsNoFileOfTheSystem() async throws {
    let run = try await ToolRun("repair", "/proc/self/mem")
    let message = "error: a log can only be repaired as a directory: /proc/self/mem\n"
    #expect(run.messages.hasPrefix(message), "\(run.messages)")
  }
  #endif
}
