import ActionLog
import Platform

/// A file system that reports the bytes that are read from and written to its files, so that a command that reads a log for several
/// reasons shows its progress without each reader taking part.
final class ByteProgress: ForwardingFileSystem {
  private struct Contents: Sendable {
    var line: ProgressLine?
    var doneBytes = 0
  }

  let base: any LogFileSystem
  private let contents = Locked(Contents())

  init(_ base: any LogFileSystem) { self.base = base }

  /// Shows the bytes from here on.
  func begin(_ line: ProgressLine) {
    contents.withLock { contents in contents = Contents(line: line) }
  }

  /// Adds bytes; 0 while a command waits for something else.
  func add(_ count: Int) {
    let (line, doneBytes) = contents.withLock { contents in
      contents.doneBytes += count
      return (contents.line, contents.doneBytes)
    }
    // A closed terminal is noticed when the result is printed.
    do { try line?.update(done: doneBytes, total: nil) } catch {}
  }

  /// Shows nothing from here on, and erases the line.
  func end() throws(ToolStreamError) {
    let line = contents.withLock { contents in
      defer { contents = Contents() }
      return contents.line
    }
    try line?.finish()
  }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    CountedFile(try base.open(path, for: access), self)
  }
}

private final class CountedFile: LogFile {
  private let base: any LogFile
  private let progress: ByteProgress

  init(_ base: any LogFile, _ progress: ByteProgress) {
    self.base = base
    self.progress = progress
  }

  func size() throws(FileSystemError) -> Int { try base.size() }
  func identity() throws(FileSystemError) -> FileIdentity? { try base.identity() }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    let count = try base.read(at: offset, into: buffer)
    progress.add(count)
    return count
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    try base.append(bytes)
    progress.add(bytes.count)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    try base.write(bytes, at: offset)
    progress.add(bytes.count)
  }

  func truncate(toBytes count: Int) throws(FileSystemError) { try base.truncate(toBytes: count) }
  func sync(_ strength: SyncStrength) throws(FileSystemError) { try base.sync(strength) }
  func startWriteback() { base.startWriteback() }
  func discardCache() { base.discardCache() }
  func close() { base.close() }
}

extension CommandContext {
  /// Runs a command whose files count their bytes, for ``showBytes(_:)``.
  func countingBytes(_ command: (CommandContext) throws -> ExitStatus) throws -> ExitStatus {
    var context = self
    let progress = ByteProgress(environment.fileSystem)
    context.environment.fileSystem = progress
    let status = try command(context)
    try progress.end()
    return status
  }

  /// The count of the bytes; `nil` unless ``countingBytes(_:)`` runs the command.
  var byteProgress: ByteProgress? { environment.fileSystem as? ByteProgress }

  /// Shows the bytes that are read and written from here on as the progress of a job.
  func showBytes(_ label: String) { byteProgress?.begin(progress(label, unit: .bytes)) }
}
