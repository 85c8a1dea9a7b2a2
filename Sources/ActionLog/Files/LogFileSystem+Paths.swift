extension LogFileSystem {
  /// The names of a path, from the root on, without `.` and `..`.
  ///
  /// - Throws: Nothing: the names alone decide.
  /// - Complexity: O(length of the path).
  public func canonicalPath(of path: String) throws(FileSystemError) -> String { PathNames.joined(path) }

  /// Makes a directory, whose name is durable then.
  ///
  /// - Throws: As ``createDirectory(_:)`` and ``synchronizeDirectory(_:)``.
  package func createDurableDirectory(_ path: String) throws(FileSystemError) {
    try createDirectory(path)
    try synchronizeDirectory(LogFolder.parent(of: path))
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
