import ActionLog

/// An open file of a ``FaultyFileSystem``.
final class FaultyFile: LogFile {
  private let base: any LogFile
  private let path: String
  private let files: FaultyFileSystem

  init(_ base: any LogFile, path: String, of files: FaultyFileSystem) {
    self.base = base
    self.path = path
    self.files = files
  }

  func size() throws(FileSystemError) -> Int {
    try files.pass(.size, path)
    return try base.size()
  }

  /// A look at the open file like ``size()``, and counted as one.
  func identity() throws(FileSystemError) -> FileIdentity? {
    try files.pass(.size, path)
    return try base.identity()
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try files.pass(.read, path)
    return try base.read(at: offset, into: buffer)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    guard let (fault, error) = files.failure(of: FileCall(.append, path)) else { return try base.append(bytes) }
    let count = fault.partialWrite.prefixLength(of: bytes.count)
    if count > 0 { try base.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
    throw error
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    guard let (fault, error) = files.failure(of: FileCall(.write, path)) else {
      return try base.write(bytes, at: offset)
    }
    if fault.isSilent { return }
    let count = fault.partialWrite.prefixLength(of: bytes.count)
    if count > 0 { try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset) }
    throw error
  }

  func truncate(toBytes count: Int) throws(FileSystemError) {
    try files.perform(FileCall(.truncate, path)) { () throws(FileSystemError) in try base.truncate(toBytes: count) }
  }

  func sync(_ strength: SyncStrength) throws(FileSystemError) {
    guard let (fault, error) = files.failure(of: FileCall(.sync, path)) else {
      return try base.sync(strength)
    }
    if fault.isSilent { return }
    if fault.losesData { (base as? MemoryFile)?.abandonUnsynced() }
    throw error
  }

  func discardCache() {
    if !files.keepsCache { base.discardCache() }
  }

  func close() { base.close() }
}
