import ActionLog
import TerminalUI

extension CommandContext {
  /// Prints exported bytes: unchanged to a program, and with control characters escaped on a terminal.
  func printExported(_ bytes: [UInt8]) throws(ToolStreamError) {
    guard output.isTerminal else { return try output.write(bytes) }
    try output.text(TerminalText.escapingLines(String(decoding: bytes, as: UTF8.self)))
  }

  /// The lines of a file, or of standard input if the path is `-`.
  func lineReader(of path: String, limitBytes: Int) throws -> LineReader {
    let input: any ToolInput = path == "-" ? environment.standardInput : try openInput(path)
    return LineReader(input, stop: environment.stop, limitBytes: limitBytes)
  }

  /// The contents of a file, or of standard input if the path is `-`.
  ///
  /// - Throws: A failure with the status of a limit for more than `limitBytes`.
  func contents(of path: String, limitBytes: Int) throws -> [UInt8] {
    let input: any ToolInput = path == "-" ? environment.standardInput : try openInput(path)
    var bytes: [UInt8] = []
    while true {
      let chunk = try input.read(limit: 1 << 20)
      if chunk.isEmpty { return bytes }
      guard bytes.count + chunk.count <= limitBytes else {
        throw ToolFailure(
          "beyondLimit", .limit, "the file is larger than \(HumanText.bytes(limitBytes))", path: path)
      }
      bytes += chunk
    }
  }

  private func openInput(_ path: String) throws -> FileInput {
    do throws(FileSystemError) { return try FileInput(path, files) } catch {
      switch error.code {
      case .notFound: throw ToolFailure("notFound", .environment, "there is no file", path: path)
      case .notARegularFile:
        throw ToolFailure(
          "notAFile", .environment, "the path is not a regular file", path: path,
          advice: "Redirect a pipe or a link to standard input, and give - for the file.")
      default: throw ToolFailure(any: error)
      }
    }
  }
}
