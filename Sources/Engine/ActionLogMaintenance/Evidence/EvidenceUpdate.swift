import ActionLog
import Platform

/// An update of the tiles in progress.
struct EvidenceUpdate {
  let store: EvidenceStore
  let fileSystem: any LogFileSystem
  let edge: EvidenceEdge?
  private var writer: EvidenceWriter
  private var tilesWritten = 0

  init(store: EvidenceStore, fileSystem: any LogFileSystem, edge: EvidenceEdge?) {
    self.store = store
    self.fileSystem = fileSystem
    self.edge = edge
    writer = EvidenceWriter(fileSystem)
  }

  /// Writes the tiles of the lines, then the edge, then removes tiles that are not needed any more.
  mutating func run(
    _ walk: inout EvidenceWalk, _ start: MerkleTileBuilder
  ) throws(LogError) -> EvidenceTree {
    var builder = start
    defer { writer.abandon() }
    try walk.forEachLeaf { (leaf, _) throws(LogError) in
      try builder.append(leaf) { (tile, hashes) throws(LogError) in try write(tile, MerkleTile.bytes(of: hashes)) }
    }
    for (tile, hashes) in builder.partialTiles { try write(tile, MerkleTile.bytes(of: hashes)) }
    let position = walk.position
    try LogError.files(Self.failure) { () throws(FileSystemError) in
      try writer.syncDirectories()
      // A pruned log whose first line is not durable yet has no line to name.
      if position != edge, position.segment > 0 {
        try writer.replace(store.edgePath, with: position.encoded, below: store.path)
        try writer.syncDirectories()
      }
    }
    try removePartialTiles(size: builder.size)
    return EvidenceTree(
      size: builder.size, root: builder.accumulator.root, tilesWritten: tilesWritten,
      linesRead: builder.size - start.size)
  }

  private static let failure = "the tiles of the log cannot be written"

  /// Writes a tile unless it is there. Its name becomes durable later, with all others.
  private mutating func write(_ tile: MerkleTile, _ bytes: [UInt8]) throws(LogError) {
    let path = store.path + "/" + tile.path
    if try MerkleTileReader.bytes(of: tile, store.path, fileSystem, limitBytes: bytes.count) == bytes {
      writer.note(path, below: store.path)
      return
    }
    tilesWritten += 1
    try LogError.files(Self.failure) { () throws(FileSystemError) in
      try writer.replace(path, with: bytes, below: store.path)
    }
  }

  /// Removes partial tiles that are neither the widest nor of the size of a stored checkpoint.
  private func removePartialTiles(size: Int) throws(LogError) {
    let needed = Set((try store.checkpointSizes() + [size]).flatMap(MerkleTile.partialTiles))
    let directories = Set([edge?.lines ?? 0, size].flatMap(MerkleTile.partialTiles).map(\.directory))
    try LogError.files("tiles that are not needed any more cannot be removed") { () throws(FileSystemError) in
      for directory in directories.sorted() {
        guard try fileSystem.status(of: store.path + "/" + directory) != nil else { continue }
        var isEmpty = true
        for name in try fileSystem.names(in: store.path + "/" + directory) {
          let path = directory + "/" + name
          // Of other files, only those go that a crash has left.
          let tile = MerkleTile(
            path: path.hasSuffix(EvidenceWriter.suffix) ? String(path.dropLast(EvidenceWriter.suffix.utf8.count)) : path
          )
          guard let tile, path.hasSuffix(EvidenceWriter.suffix) || !needed.contains(tile) else {
            isEmpty = false
            continue
          }
          try fileSystem.remove(store.path + "/" + path)
        }
        if isEmpty { try fileSystem.remove(store.path + "/" + directory) }
      }
    }
  }
}

/// Writes files so that a crash leaves the old one or the new one: next to their place, synced, renamed.
///
/// Several files are written before the first one is synced, so that the syncs share commits of the file system.
struct EvidenceWriter {
  static let suffix = ".new"

  private let fileSystem: any LogFileSystem
  /// The directories with entries that are not durable yet.
  private var directories: Set<String> = []
  private var existing: Set<String> = []
  /// The files that are written and do not have their names yet.
  private var unsynced: [(file: any LogFile, path: String)] = []

  /// 32 files: more open ones save little.
  private static let unsyncedLimit = 32

  init(_ fileSystem: any LogFileSystem) {
    self.fileSystem = fileSystem
  }

  /// Writes a file, and creates the directories between it and a directory that exists. It has its name after
  /// ``syncDirectories()`` at the latest.
  mutating func replace(_ path: String, with bytes: [UInt8], below root: String) throws(FileSystemError) {
    do throws(FileSystemError) {
      try makeDirectory(LogFolder.parent(of: path), below: root)
      let new = path + Self.suffix
      if try fileSystem.status(of: new) != nil { try fileSystem.remove(new) }
      unsynced.append((try fileSystem.open(new, for: .create), path))
      try unsynced[unsynced.count - 1].file.append(bytes)
    } catch {
      abandon()
      throw error
    }
    note(path, below: root)
    if unsynced.count == Self.unsyncedLimit { try finishFiles() }
  }

  /// Closes and removes all files that do not have their names yet.
  mutating func abandon() {
    for (file, path) in unsynced {
      file.close()
      // If it cannot be removed, the next checkpoint replaces it.
      do throws(FileSystemError) { try fileSystem.remove(path + Self.suffix) } catch {}
    }
    unsynced.removeAll()
  }

  private mutating func finishFiles() throws(FileSystemError) {
    do throws(FileSystemError) {
      try fileSystem.sync(unsynced.map(\.file), .full)
      for (_, path) in unsynced { try fileSystem.rename(path + Self.suffix, to: path) }
    } catch {
      abandon()
      throw error
    }
    for (file, _) in unsynced { file.close() }
    unsynced.removeAll()
  }

  /// Notes that the name of a file, and those of the directories around it, are to be made durable.
  mutating func note(_ path: String, below root: String) {
    var directory = LogFolder.parent(of: path)
    while directory.utf8.count >= root.utf8.count, directories.insert(directory).inserted {
      directory = LogFolder.parent(of: directory)
    }
  }

  /// Gives all files their names and makes them durable, those in inner directories first.
  mutating func syncDirectories() throws(FileSystemError) {
    try finishFiles()
    for directory in directories.sorted(by: >) { try fileSystem.syncDirectory(directory) }
    directories.removeAll()
  }

  private mutating func makeDirectory(_ path: String, below root: String) throws(FileSystemError) {
    guard path.utf8.count > root.utf8.count, !existing.contains(path) else { return }
    try makeDirectory(LogFolder.parent(of: path), below: root)
    do throws(FileSystemError) { try fileSystem.createDirectory(path) } catch  where error.code == .exists {
      // It was there before.
    }
    existing.insert(path)
  }
}

/// Copies the folder `proofs` of a log to a new directory, also while another program updates it.
///
/// An update writes tiles, then the edge, then a checkpoint. The copy reads them in the opposite order, so that it has all tiles that its
/// edge and its checkpoints need. It covers only lines that are durable, so segments that are copied afterward have all of them.
struct ProofsCopy {
  private(set) var files: [String: Int] = [:]
  /// The files that the last attempt could not read, by their paths within the log's directory.
  private(set) var leftOut: [BackupReport.LeftOut] = []

  private let source: String
  private let target: String
  private let fileSystem: any LogFileSystem
  private var edge: [UInt8]?

  /// The number of updates that the copy waits out before it accepts tiles of different ones.
  private static let attemptLimit = 8

  init(source: String, target: String, fileSystem: any LogFileSystem) {
    (self.source, self.target, self.fileSystem) = (source, target, fileSystem)
  }

  /// Copies everything, or, when it is called again, what was added since.
  ///
  /// - Returns: Whether the copy has all tiles; `false` if they were updated again and again.
  mutating func run() throws(FileSystemError) -> Bool {
    for _ in 1...Self.attemptLimit {
      var copying = SideFileCopying(source: source, target: target, fileSystem: fileSystem)
      let isThere = try copyFiles(&copying)
      leftOut = copying.leftOut
      for file in copying.files { files[file.path] = file.sizeBytes }
      for file in leftOut { files[file.path] = nil }
      guard isThere, try edge(in: source) != edge else { return true }
    }
    guard let size = edge.flatMap(EvidenceEdge.init(parsing:))?.lines else { return true }
    let tiles = MerkleTileReader(directory: target + "/" + EvidenceStore.folder, size: size, fileSystem: fileSystem)
    do throws(LogError) { _ = try MerkleTileBuilder(tiles) } catch { return false }
    return true
  }

  /// Whether the log was pruned since, so that it begins after the lines that the copied tiles cover, and has newer tiles.
  func isOutdated(by base: LogBase?) throws(FileSystemError) -> Bool {
    guard let base, !leftOut.contains(where: { file in file.path == EvidenceStore.folder }),
      edge.flatMap(EvidenceEdge.init(parsing:))?.lines ?? 0 < base.lineCount
    else { return false }
    return try edge(in: source) != edge
  }

  /// - Returns: Whether there is a folder to copy.
  private mutating func copyFiles(_ copying: inout SideFileCopying) throws(FileSystemError) -> Bool {
    guard let names = try copying.names(in: EvidenceStore.folder), !names.isEmpty else { return false }
    try fileSystem.makeDirectories(target + "/" + EvidenceStore.folder)
    try copying.copy(EvidenceStore.checkpointName, limitBytes: SignedNote.limitBytes)
    try copying.copyFolder(EvidenceStore.checkpointsFolder, limitBytes: SignedNote.limitBytes) { name in
      EvidenceStore.checkpointSize(of: name) != nil
    }
    edge = try copying.copy(EvidenceStore.edgeName, limitBytes: EvidenceEdge.limitBytes) ? edge(in: target) : nil
    try copying.copyTiles(unless: files)
    try fileSystem.syncDirectory(target + "/" + EvidenceStore.folder)
    return true
  }

  private func edge(in log: String) throws(FileSystemError) -> [UInt8]? {
    do throws(FileSystemError) {
      return try fileSystem.contents(of: log + "/" + EvidenceStore.edgeName, limitBytes: EvidenceEdge.limitBytes)
    } catch {
      guard error.concernsFile else { throw error }
      return nil
    }
  }
}

extension SideFileCopying {
  /// The directories of a tile's path: `tile`, the level, seven groups.
  private static let tileDepthLimit = 9

  /// Copies the tiles of the folder `proofs` that are not among known files. The contents of a tile never change.
  mutating func copyTiles(in folder: String = "tile", unless known: [String: Int] = [:]) throws(FileSystemError) {
    func isTile(_ name: String) -> Bool { MerkleTile(path: folder + "/" + name) != nil }
    let path = EvidenceStore.folder + "/" + folder
    // Listed once, so that a folder whose tiles are copied is not left out.
    guard let names = try names(in: path) else { return }
    let tiles = names.filter { name in isTile(name) && known[path + "/" + name] == nil }
    try copy(tiles, in: path, limitBytes: MerkleTile.limitBytes)
    guard folder.split(separator: "/").count < Self.tileDepthLimit else { return }
    for name in names where !isTile(name) && MerkleTile.isDirectory(name) {
      try copyTiles(in: folder + "/" + name, unless: known)
    }
  }
}
