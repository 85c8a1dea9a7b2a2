import BenchmarkKit
import Foundation

/// A program that is run to its end.
struct ChildProcess {
  var executable: String
  var arguments: [String]

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

  /// This very program.
  static var ownPath: String {
    Bundle.main.executablePath ?? CommandLine.arguments[0]
  }
}
