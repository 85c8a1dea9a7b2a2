internal import ActionLog
internal import ActionLogTesting
internal import Dispatch
internal import Platform
internal import TestSupport
internal import Testing

/// A file system that blocks calls of one operation, so that a test can act while the disk is busy.
final class GatedFileSystem: LogFileSystem {
  private struct Gate: Sendable {
    var operation: FileCall.Operation?
    var waiting = 0
  }

  private let base: FaultyFileSystem
  private let gate: Locked<Gate>
  private let opened = DispatchSemaphore(value: 0)
  private let arrived = DispatchSemaphore(value: 0)

  init(_ files: any LogFileSystem) {
    let gate = Locked(Gate())
    let opened = opened
    let arrived = arrived
    self.gate = gate
    base = FaultyFileSystem(files) { call in
      let mustWait = gate.withLock { gate in
        guard gate.operation == call.operation else { return false }
        gate.waiting += 1
        return true
      }
      if mustWait {
        arrived.signal()
        opened.wait()
      }
    }
  }

  /// Blocks calls of an operation from now on.
  func hold(_ operation: FileCall.Operation) {
    gate.withLock { gate in gate.operation = operation }
  }

  /// Waits until a call is blocked.
  func waitForCall() { arrived.wait() }

  /// Unblocks all calls.
  func letGo() {
    let count = gate.withLock { gate in
      gate.operation = nil
      return gate.waiting
    }
    for _ in 0..<count { opened.signal() }
  }

  var calls: [FileCall] { base.calls }

  func status(of path: String) throws(FileSystemError) -> FileStatus? { try base.status(of: path) }
  func names(in directory: String) throws(FileSystemError) -> [String] { try base.names(in: directory) }
  func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    try base.open(path, for: access)
  }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.renameWithoutReplacing(path, to: newPath)
  }
  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
  func canonicalPath(of path: String) throws(FileSystemError) -> String { try base.canonicalPath(of: path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock { try base.lock(directory: directory) }
}

/// Runs a blocking closure on a thread of its own, and expects it to return `true`.
func expectOffPool(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () -> Bool
) async {
  #expect(await BlockingWork.run(body) as Bool, comment, sourceLocation: sourceLocation)
}
