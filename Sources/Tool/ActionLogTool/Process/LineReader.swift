import ActionLog
import Foundation
import Platform
import TerminalUI

/// Splits input into lines at LF, and returns all the lines of one read together.
package struct LineReader {
  package enum Line: Sendable, Equatable {
    case bytes(ArraySlice<UInt8>)
    /// A line longer than the limit; its bytes were skipped.
    case tooLong
  }

  /// The longest line of a log, so no longer line can become one.
  package static let lineLimitBytes = 16 * 1024 * 1024
  /// The capacity of a pipe. A batch of this size is written with one call and synced once.
  private static let chunkBytes = 64 * 1024

  private let input: any ToolInput
  private let stop: StopRequest
  private let limitBytes: Int
  private var pending: [UInt8] = []
  private var isPassingOver = false
  private var isAtEnd = false

  package init(_ input: any ToolInput, stop: StopRequest, limitBytes: Int = LineReader.lineLimitBytes) {
    self.input = input
    self.stop = stop
    self.limitBytes = limitBytes
  }

  /// Waits for at least one complete line, and returns `nil` at the end. Blocks. A last line without LF counts, unless the tool was asked
  /// to stop before its end.
  package mutating func next() throws(ToolStreamError) -> [Line]? {
    while !isAtEnd {
      let chunk = try input.read(limit: Self.chunkBytes)
      if chunk.isEmpty {
        isAtEnd = true
        return stop.isRequested ? nil : lastLine()
      }
      let lines = split(chunk)
      if !lines.isEmpty { return lines }
    }
    return nil
  }

  private mutating func split(_ chunk: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var rest = chunk[...]
    while let end = Self.firstLineFeed(in: rest) {
      lines.append(takeLine(endingWith: rest[..<end]))
      rest = rest[(end + 1)...]
    }
    if isPassingOver || pending.count + rest.count > limitBytes {
      pending = []
      isPassingOver = true
    } else {
      pending += rest
    }
    return lines
  }

  /// The first LF, found by the system's vectorized search.
  private static func firstLineFeed(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress, let found = memchr(start, 0x0A, buffer.count) else { return nil }
      return bytes.startIndex + (UnsafeRawPointer(found) - start)
    }
  }

  private mutating func takeLine(endingWith bytes: ArraySlice<UInt8>) -> Line {
    defer {
      pending = []
      isPassingOver = false
    }
    guard !isPassingOver, pending.count + bytes.count <= limitBytes else { return .tooLong }
    return .bytes(pending.isEmpty ? bytes : (pending + bytes)[...])
  }

  private mutating func lastLine() -> [Line]? {
    guard isPassingOver || !pending.isEmpty else { return nil }
    return [takeLine(endingWith: [])]
  }
}

/// Lines of input for an asynchronous command. One caller at a time.
final class LineInput: Sendable {
  private let reader: Locked<LineReader>

  init(_ environment: ToolEnvironment, limitBytes: Int = LineReader.lineLimitBytes) {
    reader = Locked(LineReader(environment.standardInput, stop: environment.stop, limitBytes: limitBytes))
  }

  /// Waits for at least one complete line, on a thread that may block.
  func next() async throws -> [LineReader.Line]? {
    // Holding the lock while waiting is harmless: there is no other reader.
    try await BlockingWork.run { [reader] in
      try reader.withLock { reader in try reader.next() }
    }
  }
}

/// A file as input, read in chunks.
final class FileInput: ToolInput {
  private let file: any LogFile
  private let position = Locked(0)

  init(_ path: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    file = try fileSystem.open(path, for: .read)
  }

  deinit { file.close() }

  func size() throws(FileSystemError) -> Int { try file.size() }

  func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
    try position.withLock { position throws(ToolStreamError) in
      do throws(FileSystemError) {
        let bytes = try file.bytes(at: position, count: limit)
        position += bytes.count
        return bytes
      } catch {
        throw .failed(errorNumber: error.errorNumber)
      }
    }
  }
}

extension CommandContext {
  /// The lines of a file, or of standard input if the path is `-`.
  func lineReader(of path: String, limitBytes: Int) throws -> LineReader {
    let input: any ToolInput = path == "-" ? environment.standardInput : try openInput(path)
    return LineReader(input, stop: environment.stop, limitBytes: limitBytes)
  }

  /// The contents of a file, or of standard input if the path is `-`.
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
      case .notFound: throw ToolFailure("notFound", .environment, "the file does not exist", path: path)
      case .notARegularFile:
        throw ToolFailure(
          "notAFile", .environment, "the path is not a regular file", path: path,
          advice: "Redirect a pipe or a link to standard input, and give - for the file.")
      default: throw ToolFailure(any: error)
      }
    }
  }
}
