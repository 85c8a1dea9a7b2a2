import ActionLog
import ActionLogTesting
import Platform
import Testing

/// A log whose lines a test exchanges, and whose numbers, checksum chain and `HEAD` are then made good, as an attacker would.
struct ForgedLog {
  /// A line in parts: what a forger writes anew is left out.
  struct Line: Equatable {
    var isControl: Bool
    var isHeader: Bool
    /// Everything from the time to the member `synced`, and everything from the member after `prev` to the checksum.
    var head: String
    var synced: Int
    var tail: String

    /// The same line at another time, a microsecond before or after.
    var changed: Line {
      var line = self
      var bytes = Array(head.utf8)
      // `"time":"2026-11-21T09:00:00.000000Z"`
      let digit = #""time":"2026-11-21T09:00:00.00000"#.utf8.count
      bytes[digit] ^= 1
      line.head = String(decoding: bytes, as: UTF8.self)
      return line
    }
  }

  /// The lines of each segment.
  var segments: [[Line]]
  /// The base of a pruned log.
  var base: LogBase?

  /// All lines.
  var lines: [Line] { segments.flatMap(\.self) }

  /// Takes the segments of a log apart.
  init(_ story: LogStory) throws {
    segments = try story.files.filePaths.filter { path in path.hasSuffix(".jsonl") && !path.contains("archive") }.map {
      path in
      try story.files.contents(of: path).split(separator: 0x0A).map { line in try Line(Array(line)) }
    }
    base = try story.reader().base
  }

  /// Returns the log on a disk of its own.
  func story() throws -> LogStory {
    let story = LogStory()
    var (revision, prev) = (base?.revision ?? 0, base?.link ?? 0)
    var (first, size, synced) = (1, 0, base?.synced ?? 0)
    if let base { try story.files.setContents(base.bytes, of: PrunedStory.path) }
    for segment in segments where !segment.isEmpty {
      first = revision + 1
      var bytes: [UInt8] = []
      for line in segment {
        if !line.isControl { revision += 1 }
        synced = max(synced, min(line.synced, line.isControl ? revision : revision - 1))
        var text =
          #"{"seq":\#(revision),\#(line.head)\#(synced),"prev":"\#(ChecksumDigits.text(prev))""#
        text += line.isHeader ? line.tail.replacing(/"first":\d+/, with: #""first":\#(first)"#) : line.tail
        prev = CRC32C.checksum(of: Array(text.utf8))
        bytes += Array(#"\#(text),"crc":"\#(ChecksumDigits.text(prev))"}"#.utf8) + [0x0A]
      }
      size = bytes.count
      try story.files.setContents(bytes, of: story.segment(first))
    }
    let head = LogHead(revision: revision, segment: first, bytes: size, crc: prev)
    try story.files.setContents(head.encoded(), of: story.head)
    return story
  }

  /// Changes the line with an index.
  mutating func replace(_ index: Int, with lines: [Line]) {
    var start = 0
    for segment in segments.indices {
      if index < start + segments[segment].count {
        segments[segment].replaceSubrange(index - start...index - start, with: lines)
        return
      }
      start += segments[segment].count
    }
  }

  /// Exchanges a line with the next one.
  mutating func exchange(_ index: Int) {
    let lines = self.lines
    replace(index, with: [lines[index + 1]])
    replace(index + 1, with: [lines[index]])
  }

  /// Cuts the log before a line.
  mutating func cut(before index: Int) {
    var rest = index
    for segment in segments.indices {
      segments[segment] = Array(segments[segment].prefix(rest))
      rest -= segments[segment].count
    }
  }
}

extension ForgedLog.Line {
  /// Takes a line of the writer apart.
  init(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = try #require(
      text.wholeMatch(
        of:
          /\{"seq":\d+,("time":"[^"]*","type":"([^"]*)","synced":)(\d+),"prev":"[0-9a-f]{8}"(.*),"crc":"[0-9a-f]{8}"\}/)
    )
    head = String(parts.1)
    isControl = parts.2.hasPrefix("@")
    isHeader = parts.2 == "@segment"
    synced = try #require(Int(parts.3))
    tail = String(parts.4)
  }
}
