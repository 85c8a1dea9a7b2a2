import ActionLog
import ActionLogTesting
import Foundation
import Platform
import Testing

/// A log in memory that begins at a base, and what it was before.
struct PrunedStory {
  static let path = LogStory.basePath
  /// The log, with the base and without the segments before it.
  var story: LogStory
  var base: LogBase
  /// The files of the segments that were removed.
  var removed: [String: [UInt8]] = [:]

  /// Records actions in segments of a few, and prunes the log before the segment in the middle.
  ///
  /// - Parameter keepsSegments: Whether the segments before the base are left, as after a crash.
  init(_ count: Int = 12, keepsSegments: Bool = false) throws {
    story = LogStory(segmentLimitBytes: 600)
    try story.record(count)
    let segments = try story.reader().segments
    let first = try #require(segments.dropFirst().first { segment in segment.first > count / 2 })
    base = try story.makeBase(before: first.first)
    for segment in segments where segment.first < first.first {
      removed[segment.path] = try story.files.contents(of: segment.path)
      if !keepsSegments { try story.files.remove(segment.path) }
    }
    try put(base)
  }

  /// Replaces the base.
  func put(_ base: LogBase) throws { try story.files.setContents(base.bytes, of: Self.path) }

  func verify() throws -> LogReport { try LogVerifier.verify(at: LogStory.path, fileSystem: story.files) }
}

extension LogStory {
  static let basePath = path + "/base.json"

  /// Makes the base of the log before a segment, with a state and hashes that nothing checks.
  func makeBase(before first: Int) throws -> LogBase {
    let reader = try reader()
    var records = try reader.records()
    var lineCount = 0
    var checksum: UInt32 = 0
    var last: LogRecord?
    while let record = try records.next() {
      if record.controlType == .segment, record.revision + 1 == first, lineCount > 0 { break }
      if !record.isControl { checksum = record.crc }
      lineCount += 1
      last = record
    }
    let line = try #require(last)
    let hash = try #require(SHA256Digest([UInt8](repeating: 7, count: 32)))
    return LogBase(
      revision: first - 1, time: line.time, log: reader.header.log, model: reader.header.model, schema: 1,
      reducer: "test", checksum: checksum, lineCount: lineCount, link: line.crc, synced: line.synced,
      tree: Array(repeating: hash, count: lineCount.nonzeroBitCount), state: Array(#"{"value":\#(first - 1)}"#.utf8))
  }
}

/// The log of the test vectors.
enum PrunedVectors {
  static let directory = "Fixtures/Evidence/Pruned"

  static func bytes(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: directory))
    return Array(try Data(contentsOf: url))
  }

  /// Returns a file system with the log at ``LogStory/path``.
  static func files() throws -> MemoryFileSystem {
    let files = MemoryFileSystem()
    for name in ["base.json", "0000000000000006.jsonl", "0000000000000010.jsonl", "HEAD"] {
      try files.setContents(try bytes(name), of: LogStory.path + "/" + name)
    }
    return files
  }
}
