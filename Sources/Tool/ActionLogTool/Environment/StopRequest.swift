import ActionLog
import Dispatch
import Platform

/// The wish that a running command ends: made by a signal, heard by commands that have something to close.
///
/// Commands that have nothing to close do not listen, and the process may simply end; see ``isAccepted``.
public final class StopRequest: Sendable {
  private struct Contents: Sendable {
    var isRequested = false
    var isAccepted = false
    var handlers: [@Sendable () -> Void] = []
  }

  /// What is taken away when the process ends at once.
  package let unfinishedFiles = UnfinishedFiles()
  private let contents = Locked(Contents())
  /// Given when the request is made, and handed on by each who takes it.
  private let requested = DispatchSemaphore(value: 0)

  /// Makes a request that nobody has made yet.
  public init() {}

  /// Whether the command was asked to end.
  public var isRequested: Bool { contents.withLock { contents in contents.isRequested } }

  /// Whether the running command listens, so that a signal need not end the process.
  public var isAccepted: Bool { contents.withLock { contents in contents.isAccepted } }

  /// Says that the running command ends by itself, cleanly, when asked.
  package func accept() {
    contents.withLock { contents in contents.isAccepted = true }
  }

  /// Asks the running command to end.
  ///
  /// - Returns: Whether this is the first time.
  @discardableResult public func request() -> Bool {
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

  /// Calls `handler` once, when the request is made; at once if it was made already.
  public func onRequest(_ handler: @escaping @Sendable () -> Void) {
    let isRequested = contents.withLock { contents -> Bool in
      if !contents.isRequested { contents.handlers.append(handler) }
      return contents.isRequested
    }
    if isRequested { handler() }
  }

  /// Waits, at most `duration`, for the request. Blocks.
  ///
  /// - Returns: Whether the command was asked to end.
  public func wait(for duration: Duration) -> Bool {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = attoseconds / 1_000_000_000
    let timeout = DispatchTime.now() + .seconds(Int(clamping: seconds)) + .nanoseconds(Int(clamping: nanoseconds))
    guard requested.wait(timeout: timeout) == .success else { return false }
    requested.signal()
    return true
  }
}

/// The files that a command is making, so that a signal that ends the process takes them away.
///
/// What ends the process otherwise (`kill -9`, a power cut) leaves them behind; their names say what they are.
package final class UnfinishedFiles: Sendable {
  private let places = Locked<[String: any LogFileSystem]>([:])

  /// Knows of no file yet.
  package init() {}

  /// How many may lie beside one another: those that are being made, and those whose makers were cut off.
  private static let limit = 1_000

  /// What the names end with.
  private static let suffix = LogFormat.unfinishedSuffix

  /// Makes a file beside a path, with a name that nobody else has: `PATH.unfinished`, `PATH.2.unfinished` and so on.
  ///
  /// A signal that comes meanwhile waits, so that it finds the file or none.
  ///
  /// - Throws: What making it throws; ``FileSystemError/Code/exists`` when too many of them lie there.
  /// - Complexity: O(number of files of such names).
  func make(beside path: String, in fileSystem: any LogFileSystem) throws(FileSystemError) -> (
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

  /// Lets go of a file that is given another name, under which it stays.
  ///
  /// A signal that comes meanwhile waits: what has the old name afterwards may be somebody else's.
  func release(_ path: String, by rename: () throws(FileSystemError) -> Void) throws(FileSystemError) {
    try places.withLock { places throws(FileSystemError) in
      try rename()
      places[path] = nil
    }
  }

  /// Takes a file away.
  func remove(_ path: String) {
    places.withLock { places in Self.remove(path, places.removeValue(forKey: path)) }
  }

  /// Takes all of them away: the process is about to end.
  package func removeAll() {
    places.withLock { places in
      for (path, fileSystem) in places { Self.remove(path, fileSystem) }
      places = [:]
    }
  }

  /// Removes a file, once: whatever ended the writing is what counts, and the name says what is left.
  private static func remove(_ path: String, _ fileSystem: (any LogFileSystem)?) {
    do throws(FileSystemError) { try fileSystem?.remove(path) } catch {}
  }
}
