import ActionLogTool
import Platform

/// A stream that keeps what was written, and that can be closed by its reader.
final class MemoryOutput: ToolOutput {
  private struct Contents: Sendable {
    var bytes: [UInt8] = []
    var limit: Int?
  }

  private let contents: Locked<Contents>

  /// - Parameter limit: How many bytes are taken before the reader goes away.
  init(limit: Int? = nil) {
    contents = Locked(Contents(limit: limit))
  }

  func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    try contents.withLock { contents throws(ToolStreamError) in
      if let limit = contents.limit, contents.bytes.count + bytes.count > limit { throw .closed }
      contents.bytes += bytes
    }
  }

  var bytes: [UInt8] { contents.withLock { contents in contents.bytes } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Input that was prepared: each chunk is what one `read` finds.
final class MemoryInput: ToolInput {
  private let chunks: Locked<[ArraySlice<UInt8>]>

  init(_ chunks: [String] = []) {
    self.chunks = Locked(chunks.map { chunk in Array(chunk.utf8)[...] })
  }

  /// Input that is no text.
  init(bytes: [UInt8]) {
    chunks = Locked([bytes[...]])
  }

  func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
    chunks.withLock { chunks in
      guard let chunk = chunks.first else { return [] }
      chunks[0] = chunk.dropFirst(limit)
      if chunks[0].isEmpty { chunks.removeFirst() }
      return Array(chunk.prefix(limit))
    }
  }
}
