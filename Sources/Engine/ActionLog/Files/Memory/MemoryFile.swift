import Platform

/// An open file of a ``MemoryFileSystem``.
package final class MemoryFile: LogFile {
  private let volume: Locked<MemoryVolume>
  private let node: MemoryVolume.NodeID
  private let path: String
  private let access: FileAccess
  private let isOpen = Locked(true)

  /// Represents an open file that the volume has recorded.
  init(node: MemoryVolume.NodeID, of volume: Locked<MemoryVolume>, path: String, access: FileAccess) {
    self.volume = volume
    self.node = node
    self.path = path
    self.access = access
  }

  deinit { close() }

  package func size() throws(FileSystemError) -> Int {
    withVolume { volume in volume.files[node]?.count ?? 0 }
  }

  package func identity() throws(FileSystemError) -> FileIdentity? { MemoryVolume.identity(of: node) }

  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    if offset < 0 { throw failure(.inputOutput, "pread") }
    return withVolume { volume in
      volume.counts.reads += 1
      guard let file = volume.files[node], offset < file.count else { return 0 }
      let count = min(buffer.count, file.count - offset)
      file.bytes[offset..<(offset + count)].withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).copyMemory(from: bytes)
      }
      volume.counts.bytesRead += count
      return count
    }
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    precondition(access == .append || access == .create, "append to a file that was not opened for appending")
    try withVolume { volume throws(FileSystemError) in
      volume.counts.appends += 1
      try put(bytes, at: volume.files[node]?.count ?? 0, in: &volume, "write")
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    precondition(access == .overwrite, "write at an offset of a file that was not opened for overwriting")
    try withVolume { volume throws(FileSystemError) in
      volume.counts.writes += 1
      try put(bytes, at: offset, in: &volume, "pwrite")
    }
  }

  package func truncate(toBytes count: Int) throws(FileSystemError) {
    precondition(access != .read, "truncation of a file that was opened for reading")
    try withVolume { volume throws(FileSystemError) in
      volume.counts.truncations += 1
      if count < 0 { throw failure(.inputOutput, "ftruncate") }
      if count > MemoryFileSystem.fileLimitBytes { throw failure(.fileTooLarge, "ftruncate") }
      volume.files[node]?.truncate(to: count)
    }
  }

  package func sync(_ strength: SyncStrength) throws(FileSystemError) {
    withVolume { volume in
      volume.counts.syncs += 1
      volume.files[node]?.sync()
    }
  }

  package func discardCache() {
    withVolume { volume in volume.files[node]?.discardCache() }
  }

  package func close() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      volume.withLock { volume in volume.closeFile(node) }
    }
  }

  /// Models a failed write-back: everything written since the last sync is still readable, counts as written, and
  /// never reaches the device. ``discardCache()`` reveals the device's bytes.
  package func abandonUnsynced() {
    withVolume { volume in volume.files[node]?.abandonDirtyPages() }
  }
}

extension MemoryFile {
  private func withVolume<Result: Sendable, Failure: Error>(
    _ body: (inout MemoryVolume) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(isOpen.withLock { isOpen in isOpen }, "a call on a closed file")
    return try volume.withLock(body)
  }

  /// Writes as many bytes as fit.
  private func put(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, in volume: inout MemoryVolume, _ operation: String
  ) throws(FileSystemError) {
    if offset < 0 { throw failure(.inputOutput, operation) }
    let limit = MemoryFileSystem.fileLimitBytes
    if bytes.count > limit || offset > limit - bytes.count { throw failure(.fileTooLarge, operation) }
    let count = volume.files[node]?.count ?? 0
    // Existing bytes take no new space; those of a gap do.
    let room = volume.capacityBytes.map { capacity in max(0, capacity - volume.usedBytes) + count - offset }
    let fitting = max(0, min(room ?? bytes.count, bytes.count))
    volume.files[node]?.write(UnsafeRawBufferPointer(rebasing: bytes[..<fitting]), at: offset)
    volume.counts.bytesWritten += fitting
    if fitting < bytes.count { throw failure(.noSpace, operation) }
  }

  private func failure(_ code: FileSystemError.Code, _ operation: String) -> FileSystemError {
    FileSystemError(code: code, operation: operation, path: path)
  }
}

extension MemoryVolume {
  /// Records that an open file is closed, and removes the file if it has no name.
  mutating func closeFile(_ node: NodeID) {
    let count = openCounts[node, default: 1] - 1
    openCounts[node] = count > 0 ? count : nil
    let isNamed = directories.values.contains { directory in directory.entries.values.contains(node) }
    if count == 0, !isNamed { collect() }
  }
}
