import Foundation
import TestSupport
import Testing

@Suite("Odd things in the place of a segment")
struct OddFileTests {
  enum Kind: String, CaseIterable, Sendable {
    case fifo, directory, symbolicLink, danglingLink

    /// Puts the thing in the place of a segment that was moved away.
    func make(at path: String, insteadOf moved: String) throws {
      switch self {
      case .fifo: guard mkfifo(path, 0o600) == 0 else { throw SystemFailure("mkfifo") }
      case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      case .symbolicLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
      case .danglingLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
      }
    }
  }

  @Test("is a clear error for readers and writers alike, and nobody waits for it", arguments: Kind.allCases)
  func only(kind: Kind) async throws {
    let log = try await LogOnDisk(increments: 3)
    let moved = log.path + "-moved"
    try FileManager.default.moveItem(atPath: log.firstSegment, toPath: moved)
    try kind.make(at: log.firstSegment, insteadOf: moved)
    let before = try log.bytes(moved)
    for command in [["state"], ["list"], ["verify"], ["cat"], ["record", "counter"]] {
      let run = try await ToolRun(command + [log.path], input: LogOnDisk.increment)
      #expect(run.ending == .status(3), "\(command)")
      #expect(run.output.isEmpty, "\(command)")
      #expect(run.messages.hasPrefix("error: "), "\(command)")
      #expect(run.messages.contains("neither a directory nor a regular file: \(log.firstSegment)\n"), "\(run.messages)")
    }
    #expect(try log.bytes(moved) == before)
  }

  @Test("is no less an error when it poses as the newest segment", arguments: Kind.allCases)
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
