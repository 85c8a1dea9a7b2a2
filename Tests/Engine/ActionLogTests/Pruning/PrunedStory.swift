import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import Platform
import Testing

/// A log in memory that begins at a base, and what it was before.
struct PrunedStory {
  static let path = LogStory.path + "/base.json"
  /// The log.
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
    for segment in try story.reader().segments {
      removed[segment.path] = try story.files.contents(of: segment.path)
    }
    try story.prune(before: count / 2 + 1)
    base = try #require(try story.reader().base)
    for segment in try story.reader().segments { removed[segment.path] = nil }
    guard keepsSegments else { return }
    for (path, bytes) in removed { try story.files.setContents(bytes, of: path) }
  }

  /// Replaces the base.
  func put(_ base: LogBase) throws { try story.files.setContents(base.bytes, of: Self.path) }

  func verify() throws -> LogReport { try LogVerifier.verify(at: LogStory.path, fileSystem: story.files) }
}

extension LogStory {
  static let archive = "/archive"

  /// Prunes the log. The state is the number of its revision.
  @discardableResult
  func prune(before revision: Int, archive: String? = LogStory.archive) throws -> PruneRecord {
    let pruning = try LogPruning(at: LogStory.path, before: revision, fileSystem: door)
    return try pruning.run(
      reason: "test", actor: "u1", archive: archive, environment: configuration.environment
    ) { _ in LogStory.state(at: pruning.firstRevision) }
  }

  @discardableResult
  func restore(from archive: String = LogStory.archive) throws -> PruneRecord {
    try LogPruning.restore(
      at: LogStory.path, from: archive, reason: "test", actor: nil, environment: configuration.environment,
      fileSystem: door)
  }

  private static func state(at revision: Int) -> LogPruning.State {
    let bytes = Array(#"{"value":\#(revision)}"#.utf8)
    return LogPruning.State(
      bytes: bytes, digest: SHA256.hexadecimal(bytes), model: "counter", schema: 1, reducer: "test")
  }
}

/// The log of the test vectors.
enum PrunedVectors {
  static let directory = "Fixtures/Evidence/Pruned"
  /// The segment that was removed.
  static let firstSegment = "0000000000000001.jsonl"

  static func bytes(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: directory))
    return Array(try Data(contentsOf: url))
  }

  /// Returns a file system with the log at ``LogStory/path``.
  static func files() throws -> MemoryFileSystem {
    let files = MemoryFileSystem()
    for name in ["base.json", "0000000000000006.jsonl", "0000000000000010.jsonl", "HEAD", "proofs/tile/0/000.p/22"] {
      try files.setContents(try bytes(name), of: LogStory.path + "/" + name)
    }
    try files.setContents(
      try bytes("archive/" + firstSegment), of: LogStory.archive + "/" + firstSegment)
    return files
  }
}
