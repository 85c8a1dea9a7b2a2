import ActionLog
import Foundation
import Platform
import TestSupport

/// A run of the executable `action-log` as a process of its own, that a test talks to line by line.
///
/// Nothing waits by the clock: a test reads until a line or the end comes. A process that lives longer than any test
/// needs is killed, which ends all waiting and shows as ``Ending/signal(_:)``.
final class ToolProcess: Sendable {
  typealias Ending = ChildProcess.Ending

  /// Far beyond what any test here takes: it only ends what hangs. A whole suite on two busy processors takes minutes, and a
  /// process lives through all that other tests do between two steps of its own.
  private static let guardSeconds = 1_200

  private struct Output: Sendable {
    var pending: [UInt8] = []
    var isAtEnd = false
  }

  private let process: ChildProcess
  private let input: PipeEnd
  private let outputEnd: PipeEnd
  private let output = Locked(Output())
  private let messageFile: ScratchFile

  /// Starts `action-log` with arguments.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - launcher: A program with arguments that starts the executable, such as `prlimit`.
  ///   - closing: The standard descriptors that the process does not get.
  init(_ arguments: [String], launcher: [String] = [], closing: Set<Int32> = []) throws {
    let (inputReading, inputWriting) = try PipeEnd.pair()
    let (outputReading, outputWriting) = try PipeEnd.pair()
    let file = try ScratchFile()
    input = inputWriting
    outputEnd = outputReading
    messageFile = file
    let processID = try inputReading.withDescriptor { input in
      try outputWriting.withDescriptor { output in
        try Spawn.start(
          launcher + [Executable.path(of: "action-log")] + arguments,
          streams: Spawn.Streams(
            input: closing.contains(STDIN_FILENO) ? nil : input,
            output: closing.contains(STDOUT_FILENO) ? nil : output,
            messages: closing.contains(STDERR_FILENO) ? nil : file.descriptor))
      }
    }
    process = ChildProcess(processID)
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.guardSeconds)) { [weak self] in
      self?.kill(SIGKILL)
    }
  }
}

// MARK: - Talking

extension ToolProcess {
  /// Writes text to standard input, and waits until it is in the pipe.
  func send(_ text: String) async throws {
    let bytes = Array(text.utf8)
    _ = try await BlockingWork.run { [input] in try input.write(bytes) }
  }

  /// Ends standard input.
  func endInput() {
    input.close()
  }

  /// Keeps standard input full until the process closes it.
  ///
  /// - Parameter chunk: The text to write for the n-th time, from 0; `nil` for the end of the input.
  func feed(_ chunk: @escaping @Sendable (Int) -> String?) {
    BlockingWork.start { [input] in
      defer { input.close() }
      var count = 0
      // A pipe that fails is one that is not read any more: the test sees the missing answers.
      while let text = chunk(count), (try? input.write(Array(text.utf8))) == true { count += 1 }
    }
  }

  /// Splits standard input into small chunks.
  func shrinkInput() throws {
    try input.shrink()
  }

  /// Waits for a complete line on standard output.
  ///
  /// - Returns: The line without its LF, or `nil` when none comes any more.
  func nextLine() async throws -> String? {
    while true {
      if let line = takeLine() { return line }
      let bytes = try await BlockingWork.run { [outputEnd] in try outputEnd.read() }
      guard !bytes.isEmpty else { return nil }
      output.withLock { output in output.pending += bytes }
    }
  }

  /// Waits for the rest of standard output.
  func remainingOutput() async throws -> String {
    let bytes = try await BlockingWork.run { [outputEnd] in
      var bytes: [UInt8] = []
      while case let more = try outputEnd.read(), !more.isEmpty { bytes += more }
      return bytes
    }
    return output.withLock { output in
      defer { output.pending = [] }
      return String(decoding: output.pending + bytes, as: UTF8.self)
    }
  }

  /// Closes the reading end of standard output.
  func closeOutput() {
    outputEnd.close()
  }

  /// The messages on standard error so far, without progress.
  func messages() throws -> String {
    try messageFile.text().withoutProgress
  }

  private func takeLine() -> String? {
    output.withLock { output in
      guard let end = output.pending.firstIndex(of: 0x0A) else { return nil }
      defer { output.pending.removeSubrange(...end) }
      return String(decoding: output.pending[..<end], as: UTF8.self)
    }
  }
}

// MARK: - Ending

extension ToolProcess {
  /// The number of the process.
  var processID: pid_t { process.processID }

  /// Sends a signal, if the process was not waited for yet.
  func kill(_ number: Int32) {
    process.kill(number)
  }

  /// Waits until the process has ended.
  func wait() async throws -> Ending {
    try await process.wait()
  }
}

extension String {
  /// The text without lines of progress: whether there are any depends on how busy the machine is.
  var withoutProgress: String {
    let amount = "[0-9. ]+(actions|logs|[KMGTPE]iB|B)"
    let progress = "[a-z]+ (\\d+%  )?\(amount)  \(amount)/s(  .+ left)?"
    return split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      !line.hasPrefix(#"{"progress":"#) && line.range(of: "^\(progress)$", options: .regularExpression) == nil
    }.joined(separator: "\n")
  }
}

/// One end of a pipe, closed when the value is released.
final class PipeEnd: Sendable {
  private let descriptor: Locked<Int32?>

  private init(_ descriptor: Int32) {
    self.descriptor = Locked(descriptor)
  }

  deinit { close() }

  /// Makes a pipe whose ends no other process inherits, as long as all processes start under ``Spawn/lock``.
  static func pair() throws -> (reading: PipeEnd, writing: PipeEnd) {
    var ends: [Int32] = [-1, -1]
    try Spawn.lock.withLock { _ in
      guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    return (PipeEnd(ends[0]), PipeEnd(ends[1]))
  }

  func close() {
    let open = descriptor.withLock { descriptor -> Int32? in
      defer { descriptor = nil }
      return descriptor
    }
    if let open { _ = Foundation.close(open) }
  }

  /// The descriptor, as long as the end is open. No other code may close it.
  func withDescriptor<Result>(_ body: (Int32) throws -> Result) throws -> Result {
    guard let open = descriptor.withLock({ descriptor in descriptor }) else { throw SystemFailure("pipe", EBADF) }
    return try body(open)
  }

  /// Makes the pipe hold so little that its reader gets its input in small portions. Where the system cannot, the
  /// portions are larger.
  func shrink() throws {
    #if os(Linux)
    // F_SETPIPE_SZ, which Swift's view of the C library leaves out. A page is the least there is.
    let setPipeSize: Int32 = 1_031
    try withDescriptor { descriptor in
      guard fcntl(descriptor, setPipeSize, 4_096) >= 0 else { throw SystemFailure("fcntl") }
    }
    #endif
  }

  /// Writes all the bytes, waiting for room. `SIGPIPE` must be ignored.
  ///
  /// - Returns: Whether the pipe had a reader.
  func write(_ bytes: [UInt8]) throws -> Bool {
    try withDescriptor { descriptor in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { buffer in Foundation.write(descriptor, buffer.baseAddress, buffer.count) }
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EPIPE {
          return false
        } else if errno != EINTR {
          throw SystemFailure("write")
        }
      }
      return true
    }
  }

  /// Waits for bytes.
  ///
  /// - Returns: The available bytes; none at the end.
  func read() throws -> [UInt8] {
    try withDescriptor { descriptor in
      while true {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count >= 0 { return Array(buffer.prefix(count)) }
        guard errno == EINTR else { throw SystemFailure("read") }
      }
    }
  }
}
