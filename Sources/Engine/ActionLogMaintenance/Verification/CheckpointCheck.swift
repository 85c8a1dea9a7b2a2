import ActionLog
import Platform

/// Compares the lines of a log with its stored checkpoints, in the pass that verifies the lines.
///
/// The checkpoints are read before the segments are listed, so that the lines are at least those that the checkpoints cover.
struct CheckpointCheck {
  private typealias Stored = (checkpoint: Checkpoint, path: String)

  /// The number of checkpoints that the log leads to.
  private(set) var matchingCount = 0

  private let store: EvidenceStore
  private let fileSystem: any LogFileSystem
  private var edge: EvidenceEdge?
  /// The checkpoints, the smallest first.
  private var stored: [Stored] = []
  /// The checkpoints with another root than the log.
  private var wrong: [Stored] = []
  private var next = 0
  private var tree = MerkleAccumulator()
  private var entry = LineEntry()
  /// The size of the largest checkpoint that the log leads to.
  private var agreedSize = 0
  private var lineCount = 0
  private var problems: [LogProblem] = []

  init(_ log: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    store = EvidenceStore(log: log, fileSystem: fileSystem)
    self.fileSystem = fileSystem
    do throws(LogError) {
      edge = try store.edge()
      for size in try store.checkpointSizes() { try read(store.checkpointPath(size: size), size) }
      try read(store.newestCheckpointPath, nil)
    } catch {
      guard error.concernsFile else { throw error }
      problems.append(LogProblem(.unusableCheckpoint, error.message, path: error.path ?? store.path))
    }
  }

  /// Reads a stored checkpoint.
  ///
  /// - Parameter size: Its size; `nil` for the copy of the newest one.
  private mutating func read(_ path: String, _ size: Int?) throws(LogError) {
    do throws(LogError) {
      let found = if let size { try store.checkpoint(size: size) } else { try store.checkpoint(at: path) }
      guard let checkpoint = found?.checkpoint else { return }
      // The copy is usually the same as the last one, after a crash as one before.
      guard size != nil || !stored.contains(where: { known in known.checkpoint == checkpoint }) else { return }
      stored.append((checkpoint, path))
    } catch {
      guard error.isOfUnusableFile else { throw error }
      problems.append(LogProblem(.unusableCheckpoint, error.message, path: error.path ?? path))
    }
  }

  var isEmpty: Bool { stored.isEmpty && edge == nil && problems.isEmpty }

  /// Begins with the first line of the log.
  ///
  /// - Parameter base: The base of a pruned log. Checkpoints of lines before it are compared with the tiles.
  mutating func begin(after base: LogBase?) throws(LogError) {
    // The copy of the newest checkpoint can be older than the last one after a crash.
    stored.sort { one, other in one.checkpoint.size < other.checkpoint.size }
    if let base, let known = MerkleAccumulator(size: base.lineCount, subtrees: base.tree) {
      (tree, lineCount) = (known, known.size)
    }
    while next < stored.count, stored[next].checkpoint.size < lineCount {
      let (checkpoint, path) = stored[next]
      let root = try CheckpointComparison.root(
        size: checkpoint.size, before: tree, tiles: store.path, fileSystem)
      if let root {
        compare(stored[next], with: root)
      } else {
        problems.append(
          LogProblem(
            .unusableCheckpoint,
            "the log was pruned, and the tiles from the \(checkpoint.size) lines of the checkpoint to base.json are gone "
              + "or do not fit it", path: path))
      }
      next += 1
    }
    compareTree()
  }

  mutating func add(_ parsed: ParsedLine, _ line: UnsafeRawBufferPointer, _ place: @autoclosure () -> LogPlace) {
    lineCount += 1
    if let edge, edge.lines == lineCount, edge.last != parsed.crc || edge.revision != parsed.revision {
      problems.append(
        LogProblem(
          .wrongCheckpoint, "the line is not the one that the tiles in 'proofs' end with", at: place(),
          revision: parsed.revision))
    }
    // The lines after the last checkpoint need no hash.
    guard next < stored.count else { return }
    do throws(LineForm.Fault) { tree.append(try entry.leaf(of: parsed, line)) } catch {
      // The parser has accepted the form. Without the leaf, no checkpoint could be compared any more.
      next = stored.count
      return
    }
    compareTree()
  }

  // MARK: Segments that were read ahead

  /// Whether lines are still compared with a checkpoint, so that their leaves are needed.
  var needsLeaves: Bool { next < stored.count }

  /// Whether the lines of a segment that was read ahead can be added.
  ///
  /// - Parameter leaves: Their leaves; `nil` if they were not computed.
  /// - Returns: `false` if a line has to be compared with the end of the tiles, or its leaf is missing.
  func canAdd(_ leaves: LineLeaves?, count: Int) -> Bool {
    if let edge, (lineCount + 1...lineCount + max(count, 1)).contains(edge.lines) { return false }
    return !needsLeaves || leaves?.hashes.count == count
  }

  /// Adds the lines of a segment that was read ahead.
  mutating func add(_ leaves: LineLeaves?, count: Int) {
    lineCount += count
    for leaf in leaves?.hashes ?? [] where needsLeaves {
      tree.append(leaf)
      compareTree()
    }
  }

  private mutating func compareTree() {
    while next < stored.count, stored[next].checkpoint.size == tree.size {
      compare(stored[next], with: tree.root)
      next += 1
    }
  }

  private mutating func compare(_ found: Stored, with root: SHA256Digest) {
    let checkpoint = found.checkpoint
    guard checkpoint.root == root else {
      wrong.append(found)
      return
    }
    if let origin = stored.first?.checkpoint.origin, !origin.utf8.elementsEqual(checkpoint.origin.utf8) {
      report(
        "the checkpoint has the origin '\(checkpoint.origin)', and the log's first one has '\(origin)'",
        at: found.path, in: &problems)
      return
    }
    matchingCount += 1
    agreedSize = checkpoint.size
  }

  private func report(_ message: String, at path: String, in problems: inout [LogProblem]) {
    problems.append(LogProblem(.wrongCheckpoint, message, path: path))
  }

  /// Returns the problems.
  ///
  /// - Parameter isComplete: Whether all lines of the log are valid, except a torn tail. Otherwise the number of lines is not
  ///   known.
  func findings(isComplete: Bool) -> [LogProblem] {
    var found = problems
    // The log has the lines of a checkpoint that is as large, so the file is wrong.
    for (checkpoint, path) in wrong where checkpoint.size <= agreedSize {
      report(
        "the checkpoint of \(checkpoint.size) lines is not one of this log, which leads to that of \(agreedSize) lines",
        at: path, in: &found)
    }
    let changed = wrong.filter { entry in entry.checkpoint.size > agreedSize }
    if let (first, path) = changed.first {
      let others = changed.count - 1
      report(
        "the log no longer leads to the checkpoint of \(first.size) lines: a line with an index from \(agreedSize) to "
          + "\(first.size - 1) differs"
          + (others == 0
            ? "" : "; \(others) larger \(others == 1 ? "checkpoint differs" : "checkpoints differ"), too"),
        at: path, in: &found)
    }
    guard isComplete else { return found }
    if let (last, path) = stored.last, last.size > lineCount {
      report("the log has \(lineCount) lines, fewer than the checkpoint of \(last.size) lines", at: path, in: &found)
    } else if let edge, edge.lines > lineCount {
      report(
        "the log has \(lineCount) lines, and the tiles in 'proofs' cover \(edge.lines)", at: store.path, in: &found)
    }
    return found
  }
}

/// The leaves of the lines of a segment: 32 bytes a line, a seventh of the segment or less.
struct LineLeaves: Sendable {
  private(set) var hashes: [SHA256Digest] = []
  private var entry = LineEntry()
  private var isComplete = true

  /// The number of leaves to keep: those of 512 MiB of usual lines. A longer segment is read again in its turn.
  private static let limit = 1 << 21

  mutating func add(_ parsed: ParsedLine, _ line: UnsafeRawBufferPointer) {
    guard isComplete, hashes.count < Self.limit else {
      (isComplete, hashes) = (false, [])
      return
    }
    do throws(LineForm.Fault) { hashes.append(try entry.leaf(of: parsed, line)) } catch { isComplete = false }
  }
}
