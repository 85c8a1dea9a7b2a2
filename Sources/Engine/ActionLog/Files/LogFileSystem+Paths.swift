extension LogFileSystem {
  /// The names of a path, from the root on, without `.` and `..`.
  ///
  /// - Throws: Nothing: the names alone decide.
  /// - Complexity: O(length of the path).
  public func canonicalPath(of path: String) throws(FileSystemError) -> String { PathNames.joined(path) }

  /// Makes a directory and those above it, as far as they are missing; the names of those that it makes are durable then.
  ///
  /// - Throws: ``FileSystemError``, with code `notADirectory` and the path of a file that lies in the way.
  package func makeDirectories(_ path: String) throws(FileSystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for name in path.split(separator: "/") {
      made += (made.isEmpty || made == "/" ? "" : "/") + name
      do throws(FileSystemError) { try createDirectory(made) } catch {
        // It was there, another process was faster, or it may not be made and is there all the same, as those near the root are.
        guard let status = try status(of: made) else { throw error }
        guard status.kind != .file else {
          throw FileSystemError(code: .notADirectory, operation: "mkdir", path: made)
        }
        continue
      }
      try synchronizeDirectory(LogFolder.parent(of: made))
    }
  }

  /// Whether a path lies within a directory, at whatever depth; the directory itself does not.
  ///
  /// - Throws: ``FileSystemError`` when a part of the paths cannot be looked at.
  package func path(_ path: String, isWithin directory: String) throws(FileSystemError) -> Bool {
    let inner = try canonicalPath(of: path)
    let outer = try canonicalPath(of: directory)
    // By their bytes: Swift takes the two normal forms of `é` for equal, file systems do not.
    return inner.utf8.count > outer.utf8.count && inner.utf8.starts(with: (outer == "/" ? outer : outer + "/").utf8)
  }
}

/// The names that a path is made of.
enum PathNames {
  /// A path of the same names from the root on, `.` and `..` resolved as if no name were a symbolic link.
  static func joined(_ path: String) -> String {
    var names: [Substring.UTF8View] = []
    for name in path.utf8.split(separator: UInt8(ascii: "/")) {
      switch Substring(name) {
      case ".": continue
      case "..": _ = names.popLast()
      default: names.append(name)
      }
    }
    return "/" + names.map { name in String(Substring(name)) }.joined(separator: "/")
  }
}
