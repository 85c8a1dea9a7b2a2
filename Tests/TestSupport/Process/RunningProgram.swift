import ActionLog
package import Foundation
import Platform

/// A program of this package in a separate process, whose output a test reads line by line.
///
/// The output includes standard error, so that a failing test shows it.
package final class RunningProgram: Sendable {
  /// The end of a run and its complete output.
  package struct Run: Sendable {
    package var ending: ChildProcess.Ending
    package var output: String

    /// Creates a run from the output that a test has read line by line.
    package init(ending: ChildProcess.Ending, output: String) {
      self.ending = ending
      self.output = output
    }
  }

  package let process: ChildProcess
  private let reading: Int32
  private let pending = Locked<[UInt8]>([])

  /// Starts a program without input.
  ///
  /// - Parameters:
  ///   - name: The name of the program.
  ///   - arguments: Its arguments.
  ///   - readsOutput: Whether its output is read. If not, the program blocks at its first output, after everything that it
  ///     does before, and its output cannot be read.
  package init(_ name: String, _ arguments: [String], readsOutput: Bool = true) throws {
    var ends: [Int32] = [-1, -1]
    try Spawn.lock.withLock { _ in
      guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    defer { close(ends[1]) }
    reading = ends[0]
    do {
      if !readsOutput { try Self.fill(ends[1]) }
      let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard nothing >= 0 else { throw SystemFailure("open") }
      defer { close(nothing) }
      process = ChildProcess(
        try Spawn.start(
          [Executable.path(of: name)] + arguments,
          streams: Spawn.Streams(input: nothing, output: ends[1], messages: ends[1])))
    } catch {
      close(ends[0])
      throw error
    }
  }

  deinit { close(reading) }

  /// Waits for a line.
  ///
  /// - Returns: The line without its line feed; `nil` at the end.
  package func line() async throws -> String? {
    while true {
      let line = pending.withLock { pending -> String? in
        guard let end = pending.firstIndex(of: 0x0A) else { return nil }
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      if let line { return line }
      let more = try await read()
      guard !more.isEmpty else { return nil }
      pending.withLock { pending in pending += more }
    }
  }

  /// Waits for the remaining output and the end.
  package func rest() async throws -> Run {
    while case let more = try await read(), !more.isEmpty { pending.withLock { pending in pending += more } }
    let output = pending.withLock { pending in String(decoding: pending, as: UTF8.self) }
    return Run(ending: try await process.wait(), output: output)
  }

  /// Runs a program to its end.
  package static func run(_ name: String, _ arguments: String...) async throws -> Run {
    try await RunningProgram(name, arguments).rest()
  }

  /// Fills a pipe.
  private static func fill(_ writing: Int32) throws {
    let flags = fcntl(writing, F_GETFL)
    guard flags >= 0, fcntl(writing, F_SETFL, flags | O_NONBLOCK) == 0 else { throw SystemFailure("fcntl") }
    // Large writes first, then single bytes to fill the last page.
    for size in [4_096, 1] {
      let piece = [UInt8](repeating: 0x2E, count: size)
      while write(writing, piece, size) > 0 {}
      guard errno == EAGAIN else { throw SystemFailure("write") }
    }
    guard fcntl(writing, F_SETFL, flags) == 0 else { throw SystemFailure("fcntl") }
  }

  private func read() async throws -> [UInt8] {
    try await BlockingWork.run { [reading] in
      while true {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(reading, &buffer, buffer.count)
        if count >= 0 { return Array(buffer.prefix(count)) }
        guard errno == EINTR else { throw SystemFailure("read") }
      }
    }
  }
}

/// Runs an application of this package with damaged or obstructed data, to test its reports.
package struct ApplicationTrial: Sendable {
  private let program: String
  private let data: String
  private let log: String
  private var segment: String { "\(log)/0000000000000001.jsonl" }

  /// - Parameters:
  ///   - program: Which program of this package.
  ///   - data: Its data directory.
  ///   - log: The name of the log in it.
  package init(_ program: String, data: String, log: String) {
    self.program = program
    self.data = data
    self.log = "\(data)/\(log)"
  }

  /// Runs the program without a terminal, on its data directory.
  package func run(_ arguments: [String] = []) async throws -> RunningProgram.Run {
    try await RunningProgram(program, ["--data", data] + arguments).rest()
  }

  /// Whether the data directory exists.
  package var hasData: Bool { FileManager.default.fileExists(atPath: data) }

  /// The stored UI state as text; empty if there is none.
  package var storedPlace: String {
    String(decoding: FileManager.default.contents(atPath: "\(data)/place.json") ?? Data(), as: UTF8.self)
  }

  /// Runs the program with a file at the path of its data directory.
  package func runObstructed() async throws -> RunningProgram.Run {
    try Data("a file".utf8).write(to: URL(filePath: data))
    return try await run()
  }

  /// Runs the program once, flips a bit in the first action of its log, and runs it again.
  ///
  /// - Returns: The second run, and whether it left the log unchanged.
  package func runDamaged() async throws -> (run: RunningProgram.Run, isUntouched: Bool) {
    let first = try await run()
    guard first.ending == .status(0) else { throw SystemFailure("the first run ended: \(first)", EINVAL) }
    var bytes = try Data(contentsOf: URL(filePath: segment))
    guard let action = bytes.range(of: Data(#""type":"#.utf8)) else { throw SystemFailure("no action", EINVAL) }
    bytes[action.upperBound + 1] ^= 1
    try bytes.write(to: URL(filePath: segment))
    let second = try await run()
    return (second, try Data(contentsOf: URL(filePath: segment)) == bytes)
  }

  /// Whether a text reports damage: its location, and the commands that verify and salvage the log.
  package func reportsDamage(_ text: String) -> Bool {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.contains("0000000000000001.jsonl:") && words.contains("'action-log verify \(log)'")
      && words.contains("'action-log salvage \(log) ")
  }
}

/// Programs and objects of the build. SwiftPM builds a program next to the tests, before them, if they depend on it.
package enum Executable {
  /// Returns the path of a program of this package.
  package static func path(of name: String) -> String { directory.appendingPathComponent(name).path }

  /// The directory of the build's products.
  package static let directory: URL = {
    #if os(macOS)
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      return bundle.bundleURL.deletingLastPathComponent()
    }
    #endif
    return Bundle.main.bundleURL
  }()

  /// The object files of a target's current sources. Objects of removed sources stay in the folder and are left out.
  package static func objects(ofTarget target: String) -> [String] {
    let folder = directory.appending(path: "\(target).build")
    do {
      let sources = try String(contentsOf: folder.appending(path: "sources"), encoding: .utf8)
      return sources.split(separator: "\n").map { source in
        let name = URL(filePath: source.trimmingCharacters(in: ["'", "\""])).lastPathComponent
        return folder.appending(path: "\(name).o").path
      }
    } catch {
      // A target in C has no list.
      let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { path in path as? String } ?? []
      return paths.filter { path in path.hasSuffix(".o") }.map { path in folder.appending(path: path).path }
    }
  }

  /// Returns the path of a system program, if it exists.
  package static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    // The path of a user may lack the folders of root's commands.
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"])
      .map { directory in directory + "/" + name }
      .first { candidate in FileManager.default.isExecutableFile(atPath: candidate) }
  }
}
