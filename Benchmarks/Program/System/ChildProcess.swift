import BenchmarkKit
import Dispatch
import Foundation

/// A program that is run to its end.
struct ChildProcess {
  var executable: String
  var arguments: [String]
  /// The folder for files that the tool keeps for later commands; `nil` for that of the user.
  var cacheFolder: String?

  /// The exit status with which a peer says that it is not installed; its output says what is missing.
  static let missingStatus: Int32 = 69

  /// Runs the program; what it writes to standard error is shown.
  ///
  /// - Returns: What it wrote to standard output.
  /// - Throws: ``Missing`` when it says so; ``HarnessError`` when it fails.
  func output() throws -> Data {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    if let cacheFolder { process.environment = Self.environment(cacheFolder) }
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if process.terminationReason == .exit, process.terminationStatus == Self.missingStatus { throw Missing(text) }
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw HarnessError(
        "\(executable) \(arguments.joined(separator: " ")) failed (\(process.terminationStatus)): \(text)")
    }
    return output
  }

  /// Runs the program and reads its last line of output as JSON.
  func result<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    let output = try output()
    guard let line = output.split(separator: UInt8(ascii: "\n")).last else {
      throw HarnessError("\(executable) \(arguments.joined(separator: " ")) printed nothing")
    }
    return try JSONDecoder().decode(Value.self, from: Data(line))
  }

  /// Runs the program with its output in a file.
  ///
  /// - Parameters:
  ///   - input: A file with its input; `nil` is none.
  ///   - path: The file for its output, which is replaced.
  /// - Returns: The wall-clock time, the processor time of the program and its children, and a hash of the beginning and the size of
  ///   the output.
  func timed(input: String? = nil, output path: String) throws -> RoundResult {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forUpdatingAtPath: path)
    else { throw HarnessError("'\(path)' cannot be written") }
    defer { do { try file.close() } catch {} }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    if let cacheFolder { process.environment = Self.environment(cacheFolder) }
    process.standardInput = input.flatMap(FileHandle.init(forReadingAtPath:)) ?? FileHandle.nullDevice
    process.standardOutput = file
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    let (begin, worked) = (SystemClock.now, SystemClock.ofChildren)
    try process.run()
    // `waitUntilExit` can return up to 50 ms late.
    ended.wait()
    let (end, work) = (SystemClock.now, SystemClock.ofChildren)
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw HarnessError("\(executable) \(arguments.joined(separator: " ")) failed (\(process.terminationStatus))")
    }
    let size = try file.seekToEnd()
    try file.seek(toOffset: 0)
    let head = try file.read(upToCount: 1 << 16) ?? Data()
    return RoundResult(
      hash: head.fnv &+ size, nanoseconds: end - begin,
      metrics: ["roundNanoseconds": end - begin, "processorNanoseconds": work - worked])
  }

  private static func environment(_ cacheFolder: String) -> [String: String] {
    ProcessInfo.processInfo.environment.merging(["XDG_CACHE_HOME": cacheFolder]) { _, new in new }
  }

  /// The path of `action-log` next to this program.
  static func tool() throws -> String {
    let tool = URL(fileURLWithPath: ownPath).deletingLastPathComponent().appending(path: "action-log").path
    guard FileManager.default.isExecutableFile(atPath: tool) else {
      throw Missing("there is no \(tool): build the product action-log, too")
    }
    return tool
  }

  /// This very program.
  static var ownPath: String {
    Bundle.main.executablePath ?? CommandLine.arguments[0]
  }
}
