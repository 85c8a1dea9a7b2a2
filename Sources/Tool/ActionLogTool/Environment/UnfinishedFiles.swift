import ActionLog
import Platform

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
  private static let suffix = ".unfinished"

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
