package import ActionLog
package import JSONCoding
package import Platform

// MARK: - Checkpoints

extension EvidenceStore {
  /// The copy of the newest checkpoint.
  static let checkpointName = folder + "/checkpoint"
  static let checkpointsFolder = folder + "/checkpoints"
  /// The digits of the name of a stored checkpoint, as in the names of segments.
  private static let digitCount = 16

  package func tiles(size: Int) -> MerkleTileReader {
    MerkleTileReader(directory: path, size: size, fileSystem: fileSystem)
  }

  package func checkpointSizes() throws(LogError) -> [Int] {
    do throws(FileSystemError) {
      return try fileSystem.names(in: log + "/" + Self.checkpointsFolder).compactMap(Self.checkpointSize(of:))
    } catch {
      guard error.code != .notFound else { return [] }
      guard error.code != .notADirectory else { throw obstacle(error) }
      throw LogError.files(error, "the checkpoints of the log cannot be listed")
    }
  }

  /// The error for something else in place of the folder, or of that of the checkpoints.
  private func obstacle(_ error: FileSystemError) -> LogError {
    var place = path
    do throws(FileSystemError) {
      if try fileSystem.status(of: path)?.kind == .directory { place = log + "/" + Self.checkpointsFolder }
    } catch {
      // The original error is reported.
    }
    return LogError(
      .inputOutput, "the checkpoints of the log cannot be listed: this is not a directory", path: place,
      intact: "The log is not affected.", advice: "The checkpoints need a directory: move away what is at '\(place)'.",
      underlying: error)
  }

  /// Returns the size in the name of a stored checkpoint; `nil` for other names.
  static func checkpointSize(of name: String) -> Int? {
    guard name.utf8.count == digitCount, name.utf8.allSatisfy({ digit in (0x30...0x39).contains(digit) }) else {
      return nil
    }
    return Int(name)
  }

  package func checkpoint(size: Int) throws(LogError) -> SignedCheckpoint? {
    let path = checkpointPath(size: size)
    guard let signed = try checkpoint(at: path) else { return nil }
    guard signed.checkpoint.size == size else {
      throw LogError(
        .damaged, "the file is a checkpoint of \(signed.checkpoint.size) lines, which its name does not match",
        path: path,
        advice: Self.restoringAdvice)
    }
    return signed
  }

  func checkpointPath(size: Int) -> String {
    let digits = String(size)
    let zeros = String(repeating: "0", count: max(0, Self.digitCount - digits.count))
    return log + "/" + Self.checkpointsFolder + "/" + zeros + digits
  }

  /// The path of the copy of the newest checkpoint, which readers of the folder get. After a crash it can be older than
  /// ``newestCheckpoint()``.
  var newestCheckpointPath: String { log + "/" + Self.checkpointName }

  func checkpoint(at path: String) throws(LogError) -> SignedCheckpoint? {
    guard let bytes = try contents(path, limitBytes: SignedNote.limitBytes) else { return nil }
    do throws(EvidenceFault) { return try SignedCheckpoint(parsing: bytes) } catch {
      throw LogError(
        .damaged, "the file is not a checkpoint: \(error.message)", path: path, advice: Self.restoringAdvice)
    }
  }

  package func newestCheckpoint() throws(LogError) -> SignedCheckpoint? {
    guard let size = try checkpointSizes().last else { return nil }
    return try checkpoint(size: size)
  }

  /// Stores a checkpoint by its size, and as the newest one if none is larger. A stored checkpoint of the same size keeps its
  /// signatures.
  ///
  /// - Returns: The checkpoint as it was stored.
  package func store(_ checkpoint: SignedCheckpoint) throws(LogError) -> SignedCheckpoint {
    let lock = try lock()
    defer { lock.unlock() }
    let size = checkpoint.checkpoint.size
    guard let edge = try edge(), size <= edge.lines else {
      throw LogError(.invalidArgument, "the checkpoint is of \(size) lines, more than the tiles cover", path: path)
    }
    var tiles = tiles(size: edge.lines)
    guard try tiles.root(size: size) == checkpoint.checkpoint.root else { throw differs(size) }
    var stored = checkpoint
    if let known = try self.checkpoint(size: size), known.checkpoint == checkpoint.checkpoint {
      stored = known
      stored.add(checkpoint.note.signatures)
    }
    guard stored.note.isWithinLimits else {
      throw LogError(
        .beyondLimit,
        "the checkpoint would have more than \(SignedNote.signatureLimit) signatures, or more than 1 MiB", path: path,
        intact: "The stored checkpoint was not changed.")
    }
    let isNewest = try checkpointSizes().last ?? 0 <= size
    var writer = EvidenceWriter(fileSystem)
    try LogError.files("the checkpoint cannot be stored") { () throws(FileSystemError) in
      for path in [checkpointPath(size: size)] + (isNewest ? [newestCheckpointPath] : []) {
        try writer.replace(path, with: stored.encoded, below: self.path)
        try writer.syncDirectories()
      }
    }
    return stored
  }

  /// The origin of the log's checkpoints, which never changes after the first one.
  package func origin() throws(LogError) -> String {
    if let known = try newestCheckpoint()?.checkpoint.origin { return known }
    return Checkpoint.origin(ofLog: try LogReader.open(at: log, fileSystem: fileSystem).header.log)
  }

  /// Throws if a checkpoint is not of this log.
  ///
  /// - Parameter file: The file of the checkpoint; `nil` if it is a text.
  package func requireOrigin(of checkpoint: Checkpoint, file: String? = nil) throws(LogError) {
    let header = try LogReader.open(at: log, fileSystem: fileSystem).header
    let origins = [try origin(), Checkpoint.origin(ofLog: header.log)]
    guard !origins.contains(where: { origin in origin.utf8.elementsEqual(checkpoint.origin.utf8) }) else { return }
    throw LogError(
      .invalidArgument,
      "the checkpoint is of another log: '\(checkpoint.origin)'. The origin of this one is '\(origins[0])'", path: file)
  }

  /// Brings the tiles up to date, and makes a checkpoint without signatures, which is not stored.
  ///
  /// - Parameter takesLock: Whether all lines are covered if no writer holds the log. Otherwise those that `HEAD` names are.
  /// - Returns: `nil` if a writer holds the log, or the lock is not taken, and no line is known to be durable.
  package func newCheckpoint(
    origin: String, rebuilds: Bool = false, takesLock: Bool = true
  ) throws(LogError) -> (checkpoint: SignedCheckpoint, tree: EvidenceTree)? {
    func update() throws(LogError) -> EvidenceTree {
      try self.update(rebuilds: rebuilds, takesLock: takesLock)
    }
    // A writer can have replaced `HEAD` while it was read. Damage remains.
    let tree = if let tree = try LogError.unlessDamaged(update) { tree } else { try update() }
    guard tree.size > 0 else { return nil }
    do throws(EvidenceFault) {
      return (SignedCheckpoint(try Checkpoint(origin: origin, size: tree.size, root: tree.root)), tree)
    } catch {
      throw LogError(.invalidArgument, error.message, path: log)
    }
  }

  /// The error for a log without a line that is known to be durable.
  package var nothingSynced: LogError {
    LogError(
      .locked, "a writer holds the log and has synced nothing yet", path: log,
      advice: "Wait until it has synced its first line.")
  }

  /// Brings the tiles up to date, and stores a checkpoint without signatures of the lines that `HEAD` names, for the program that
  /// writes the log. It does not take the log's lock.
  ///
  /// - Returns: The checkpoint; `nil` if no line is known to be durable, or the newest checkpoint covers all that are.
  @discardableResult
  package func storeCheckpoint() throws(LogError) -> SignedCheckpoint? {
    let newest = try newestCheckpoint()?.checkpoint.size ?? 0
    guard let (new, _) = try newCheckpoint(origin: origin(), takesLock: false), new.checkpoint.size > newest else {
      return nil
    }
    return try store(new)
  }

  /// The error for a tree that is not the one of a stored checkpoint.
  func differs(_ size: Int) -> LogError {
    LogError(
      .damaged, "the tree no longer leads to the checkpoint of \(size) lines", path: log,
      intact: "No tile and no checkpoint was changed.",
      advice: "\(.operation("verify", "LOG", .option("checkpoint", "FILE"))) compares the log with a checkpoint kept "
        + "elsewhere.")
  }

  func lock() throws(LogError) -> any DirectoryLock {
    do throws(FileSystemError) {
      try fileSystem.createDirectoryIfMissing(path)
      // The process that created it may have been killed before its name was durable.
      try fileSystem.syncDirectory(log)
      return try fileSystem.lock(directory: path)
    } catch {
      guard error.code == .locked else { throw LogError.files(error, "the proofs of the log cannot be written") }
      let holder = error.holder.map { process in " (process \(process))" } ?? ""
      throw LogError(
        .locked, "another program makes the proofs of the log\(holder)", path: path,
        advice: "Wait until it ends.", underlying: error)
    }
  }
}

// MARK: - Logs made of pruned ones

extension EvidenceStore {
  /// Takes over the tiles with which the tree of a new log begins: those of the pruned log that are not full at its base.
  ///
  /// If they cannot be read there, or do not fit the base, the new log has no tiles either, and cannot have checkpoints.
  func inheritTiles(of inherited: InheritedBase) throws(LogError) {
    let base = inherited.base
    let other = EvidenceStore(log: inherited.log, fileSystem: fileSystem)
    let builder: MerkleTileBuilder
    // A log is saved whatever became of its tiles.
    do throws(LogError) { builder = try MerkleTileBuilder(other.tiles(size: base.lineCount)) } catch { return }
    guard builder.accumulator.subtrees == base.tree else { return }
    let lock = try lock()
    defer { lock.unlock() }
    var writer = EvidenceWriter(fileSystem)
    try LogError.files("the tiles of the log cannot be written") { () throws(FileSystemError) in
      for (tile, hashes) in builder.partialTiles {
        try writer.replace(path + "/" + tile.path, with: MerkleTile.bytes(of: hashes), below: path)
      }
      try writer.syncDirectories()
    }
  }
}

// MARK: - Proofs

extension EvidenceStore {
  /// Returns the proof that a line is in the tree of a checkpoint.
  ///
  /// - Parameters:
  ///   - line: The line without its line feed.
  ///   - hidden: The values to leave out of the line.
  package func proof(
    ofLine line: [UInt8], index: Int, hiding hidden: [JSONPointer] = [], checkpoint: SignedCheckpoint
  ) throws(LogError) -> LineProof {
    var line = line
    if !hidden.isEmpty {
      do throws(RedactionFault) {
        line = try RedactedLine(of: line, replacing: hidden.map { pointer in ValueReplacement(pointer) }, by: nil).bytes
      } catch {
        throw LogError(.invalidArgument, error.message(ofLine: index))
      }
    }
    let size = checkpoint.checkpoint.size
    guard (0..<size).contains(index) else {
      throw LogError(
        .invalidArgument, "line \(index) is not among the \(size) lines of the checkpoint",
        advice: "Make a newer checkpoint with \(.operation("checkpoint", "LOG")).")
    }
    var tiles = tiles(size: try treeSize(atLeast: size))
    let proof = LineProof(
      line: line, index: index, path: try tiles.inclusionProof(index: index, size: size), checkpoint: checkpoint)
    do throws(EvidenceFault) { _ = try proof.verify() } catch { throw unproved(error) }
    return proof
  }

  package func consistencyProof(
    from old: Checkpoint, to checkpoint: SignedCheckpoint
  ) throws(LogError) -> ConsistencyProof {
    let size = checkpoint.checkpoint.size
    guard old.size <= size else {
      throw LogError(.invalidArgument, "the older checkpoint is of \(old.size) lines, and the newer one of \(size)")
    }
    var tiles = tiles(size: try treeSize(atLeast: size))
    let proof = ConsistencyProof(
      oldSize: old.size, hashes: try tiles.consistencyProof(old: old.size, size: size), checkpoint: checkpoint)
    do throws(EvidenceFault) { try proof.verify(from: old) } catch { throw unproved(error) }
    return proof
  }

  /// Finds an action in the tree. Its index is greater than its revision, because the first line is a header.
  package func line(ofAction revision: Int, in reader: LogReader) throws(LogError) -> (index: Int, bytes: [UInt8]) {
    let record = try reader.record(at: revision)
    guard let index = try index(ofLine: record.rawLine, from: revision) else {
      throw LogError(
        .invalidArgument, "the tiles do not have action \(revision)", path: log,
        advice:
          "\(.operation("checkpoint", "LOG")) covers newer lines. \(.rebuildingCheckpoints) makes damaged tiles again.")
    }
    return (index, record.rawLine)
  }

  /// Returns the index of a line, by its leaf in the tiles.
  ///
  /// - Returns: `nil` if the tiles do not have it.
  package func index(ofLeaf leaf: SHA256Digest, from first: Int) throws(LogError) -> Int? {
    guard let edge = try edge(), first < edge.lines else { return nil }
    var tiles = tiles(size: edge.lines)
    for tile in max(first, 0) / MerkleTile.fullWidth...(edge.lines - 1) / MerkleTile.fullWidth {
      let width = MerkleTile.width(level: 0, index: tile, size: edge.lines)
      let hashes = try tiles.tile(level: 0, index: tile, atLeast: width)
      let start = max(first - tile * MerkleTile.fullWidth, 0)
      if let offset = hashes[start..<width].firstIndex(of: leaf) { return tile * MerkleTile.fullWidth + offset }
    }
    return nil
  }

  /// Returns the index of a line, by its leaf in the tiles.
  ///
  /// - Parameter line: A valid line without its line feed.
  package func index(ofLine line: [UInt8], from first: Int) throws(LogError) -> Int? {
    var entry = LineEntry()
    let leaf: SHA256Digest
    do throws(LineForm.Fault) {
      leaf = try line.withUnsafeBytesTyped { (line) throws(LineForm.Fault) in try entry.leaf(of: line) }
    } catch {
      throw LogError(.damaged, "the line is not a record: \(error.message)", path: log)
    }
    return try index(ofLeaf: leaf, from: first)
  }

  private func treeSize(atLeast size: Int) throws(LogError) -> Int {
    guard let edge = try edge() else { return size }
    guard edge.lines >= size else {
      throw LogError(
        .invalidArgument, "the checkpoint has \(size) lines, and the tiles of the log have \(edge.lines)", path: path,
        advice: "\(.operation("checkpoint", "LOG")) covers newer lines. A log that was restored from a backup can have "
          + "fewer.")
    }
    return edge.lines
  }

  private func unproved(_ fault: EvidenceFault) -> LogError {
    LogError(
      .damaged, "the tiles of the log prove nothing: \(fault.message)", path: path,
      intact: "The log itself was not examined.",
      advice: "\(.rebuildingCheckpoints) compares the tiles with the lines, and makes wrong ones again.")
  }
}
