import ActionLog
import Dispatch
import Platform

/// A request to stop the running command, made by a signal and handled by commands that have something to close. Without
/// ``isAccepted``, the signal terminates the process.
package final class StopRequest: Sendable {
  private struct Contents: Sendable {
    var isRequested = false
    var isAccepted = false
    var handlers: [@Sendable () -> Void] = []
    var endingLine: String?
  }

  /// The files to remove before the process is terminated.
  package let unfinishedFiles = UnfinishedFiles()
  private let contents = Locked(Contents())
  /// Signaled by the request, and again by each waiter that it wakes.
  private let requested = DispatchSemaphore(value: 0)

  package init() {}

  package var isRequested: Bool { contents.withLock { contents in contents.isRequested } }

  /// Whether the running command stops by itself on a request, so that a signal need not terminate the process.
  package var isAccepted: Bool { contents.withLock { contents in contents.isAccepted } }

  package func accept() {
    contents.withLock { contents in contents.isAccepted = true }
  }

  /// Requests the running command to stop. Returns whether this is the first request.
  @discardableResult package func request() -> Bool {
    let handlers = contents.withLock { contents -> [@Sendable () -> Void]? in
      guard !contents.isRequested else { return nil }
      contents.isRequested = true
      defer { contents.handlers = [] }
      return contents.handlers
    }
    guard let handlers else { return false }
    requested.signal()
    for handler in handlers { handler() }
    return true
  }

  /// Calls `handler` once when the stop is requested, or at once if it was.
  package func onRequest(_ handler: @escaping @Sendable () -> Void) {
    let isRequested = contents.withLock { contents -> Bool in
      if !contents.isRequested { contents.handlers.append(handler) }
      return contents.isRequested
    }
    if isRequested { handler() }
  }

  /// The line for standard error when a signal ends the process: what is intact, and how to continue; `nil` for none.
  package var endingLine: String? {
    get { contents.withLock { contents in contents.endingLine } }
    set { contents.withLock { contents in contents.endingLine = newValue } }
  }

  /// Waits for a request for at most `duration`. Blocks.
  package func wait(for duration: Duration) -> Bool {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = attoseconds / 1_000_000_000
    let timeout = DispatchTime.now() + .seconds(Int(clamping: seconds)) + .nanoseconds(Int(clamping: nanoseconds))
    guard requested.wait(timeout: timeout) == .success else { return false }
    requested.signal()
    return true
  }
}

/// The unfinished files of a command, which are removed when a signal terminates the process. After a `kill -9` they remain, and their
/// names say that they are unfinished.
package final class UnfinishedFiles: Sendable {
  private let places = Locked<[String: any LogFileSystem]>([:])

  package init() {}

  /// The maximum number of unfinished files for one path: those in progress, and those of interrupted commands.
  private static let limit = 1_000

  private static let suffix = LogFormat.unfinishedSuffix

  /// Creates a file next to a path under an unused name: `PATH.unfinished`, `PATH.2.unfinished` and so on. A concurrent signal waits until
  /// the file is registered.
  func create(nextTo path: String, in fileSystem: any LogFileSystem) throws(FileSystemError) -> (
    file: any LogFile, path: String
  ) {
    try places.withLock { places throws(FileSystemError) in
      for number in 1...Self.limit {
        let name = path + (number == 1 ? "" : ".\(number)") + Self.suffix
        do throws(FileSystemError) {
          let file = try fileSystem.open(name, for: .create)
          places[name] = fileSystem
          return (file, name)
        } catch {
          guard error.code == .exists else { throw error }
        }
      }
      throw FileSystemError(code: .exists, operation: "open", path: path + Self.suffix)
    }
  }

  /// Renames a file, and stops tracking it. A concurrent signal waits: after the rename, the old name may belong to another process.
  func release(_ path: String, by rename: () throws(FileSystemError) -> Void) throws(FileSystemError) {
    try places.withLock { places throws(FileSystemError) in
      try rename()
      places[path] = nil
    }
  }

  func remove(_ path: String) {
    places.withLock { places in Self.remove(path, places.removeValue(forKey: path)) }
  }

  /// Removes all files before the process ends.
  package func removeAll() {
    places.withLock { places in
      for (path, fileSystem) in places { Self.remove(path, fileSystem) }
      places = [:]
    }
  }

  /// Removes a file and ignores an error: the reason for the removal is what the user has to know.
  private static func remove(_ path: String, _ fileSystem: (any LogFileSystem)?) {
    do throws(FileSystemError) { try fileSystem?.remove(path) } catch {}
  }
}
