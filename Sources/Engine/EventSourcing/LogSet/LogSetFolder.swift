package import ActionLog
import JSONCoding
import Platform

/// The directory of a set of logs: its marker file, and the directory of each log.
///
/// ```
/// customers/
///   SET                 {"format":"actionlogset/1","fanout":256,"model":"shop"}
///   3f/alice/           the log of the key `alice`
///   a0/%42ob%20%26%20c/ the log of the key `Bob & c`
/// ```
///
/// The first directory is the first byte of the key's SHA-256, so that no directory has too many entries. The second
/// one is the key, with lower-case letters, digits and `-_.` as they are and every other byte as `%` and two hexadecimal
/// digits: file systems that ignore case or normalize Unicode keep keys distinct. The name of a long key is its
/// beginning, `~`, and 32 digits of the hash. The header of each log has the complete key.
package struct LogSetFolder: Sendable {
  let path: String
  let model: String
  let fileSystem: any LogFileSystem

  private static let markerName = "SET"
  private static let format = "actionlogset/1"
  private static let fanout = 256
  /// A marker has about 70 bytes and the name of the model.
  private static let markerLimitBytes = 4_096
  /// Shorter than the 255 bytes that file systems allow, with room for the suffixes of tools.
  private static let nameLimitBytes = 160
  private static let prefixLimitBytes = 64

  /// The location of a log.
  struct Location: Sendable {
    var path: String
    /// The key; `nil` if only the log's header has all of it.
    var key: String?
    /// The reason why there is no log at the path, or why the logs below it cannot be listed; `nil` if there is a directory.
    var failure: LogError?
  }
}

// MARK: - Names

extension LogSetFolder {
  func location(of key: String) throws(LogError) -> Location {
    guard (1...LogFormat.keyLimitBytes).contains(key.utf8.count) else {
      throw LogError(
        .invalidArgument, "a key has 1 to \(LogFormat.keyLimitBytes) bytes, not \(key.utf8.count)", path: path,
        advice: "Use a shorter identifier, for example a hash, and keep the long one in the log's state.")
    }
    let hash = SHA256.hexadecimal(SHA256.hash(key.utf8))
    return Location(path: "\(path)/\(hash.prefix(2))/\(Self.name(of: key, hash: hash))", key: key)
  }

  private static func name(of key: String, hash: String) -> String {
    var name = ""
    var prefix = ""
    for (index, byte) in key.utf8.enumerated() {
      name += escaped(byte, isFirst: index == 0)
      if name.utf8.count <= prefixLimitBytes { prefix = name }
      if name.utf8.count > nameLimitBytes { return prefix + "~" + hash.prefix(32) }
    }
    return name
  }

  private static func escaped(_ byte: UInt8, isFirst: Bool) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      return String(UnicodeScalar(byte))
    // Not `.` or `..`, and not hidden.
    case UInt8(ascii: ".") where !isFirst: return "."
    default: return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }

  /// Returns the key of a directory; `nil` if the name does not contain all of it or is not the name of a key.
  private static func key(named name: String) -> String? {
    var bytes: [UInt8] = []
    var rest = name.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(value)
    }
    let key = String(decoding: bytes, as: UTF8.self)
    // Another spelling of a key is not the directory in which its log is opened.
    return Self.name(of: key, hash: "") == name ? key : nil
  }
}

extension LogSetFolder {
  /// Returns the directory of the log that a set and a key name, as in `customers/alice`; `nil` if there is none. Blocks.
  package static func directory(named path: String, in fileSystem: any LogFileSystem) -> String? {
    guard let end = path.lastIndex(of: "/") else { return nil }
    let set = LogSetFolder(path: String(path[..<end]), model: "", fileSystem: fileSystem)
    do {
      guard try fileSystem.status(of: set.path + "/" + markerName)?.kind == .file else { return nil }
      let location = try set.location(of: String(path[path.index(after: end)...]))
      return try fileSystem.status(of: location.path) == nil ? nil : location.path
    } catch {
      // The command that opens the path reports why it cannot.
      return nil
    }
  }
}

// MARK: - Contents

extension LogSetFolder {
  /// Lists the logs, in the order of their paths, and what is in the place of a log or of a directory of logs. Blocks.
  func locations() throws(LogError) -> [Location] {
    let folders: [String]
    do throws(FileSystemError) { folders = try fileSystem.names(in: path) } catch {
      throw LogError.files(error, Self.listingFailure)
    }
    var locations: [Location] = []
    for name in folders where Self.isFanout(name) {
      let folder = path + "/" + name
      do throws(FileSystemError) { try appendLocations(in: folder, to: &locations) } catch {
        // Another program has just removed the directory.
        if error.code == .notFound { continue }
        let failure =
          error.code == .notADirectory ? misplacedFile(at: folder) : LogError.files(error, Self.listingFailure)
        locations.append(Location(path: folder, failure: failure))
      }
    }
    return locations
  }

  private static let listingFailure = "the set of logs cannot be listed"

  private func appendLocations(in folder: String, to locations: inout [Location]) throws(FileSystemError) {
    // No log's name begins with a dot; file managers leave such files.
    for name in try fileSystem.names(in: folder) where !name.hasPrefix(".") {
      let path = folder + "/" + name
      guard let status = try fileSystem.status(of: path) else { continue }
      let failure = status.kind == .directory ? nil : misplacedFile(at: path)
      locations.append(Location(path: path, key: Self.key(named: name), failure: failure))
    }
  }

  private func misplacedFile(at path: String) -> LogError {
    LogError(
      .notALog, "a file or link is in the place of a directory of the set", path: path,
      intact: "The logs in the other directories are not affected.", advice: "Move it away.")
  }

  private static func folder(of location: Location) -> String {
    String(location.path[..<(location.path.lastIndex(of: "/") ?? location.path.endIndex)])
  }

  private static func isFanout(_ name: String) -> Bool {
    name.utf8.count == 2 && name == name.lowercased() && UInt8(name, radix: 16) != nil
  }

  /// Creates the directory that contains a log's directory, and makes it durable before a new log is created in it. Blocks.
  func prepare(_ location: Location) throws(LogError) {
    let folder = Self.folder(of: location)
    let status: FileStatus?
    do throws(FileSystemError) {
      status = try fileSystem.status(of: folder)
      switch status?.kind {
      case nil: try fileSystem.makeDirectories(folder)
      case .file: break
      case .directory, .other:
        // The directory may be that of a process that ended before it synced it.
        if try fileSystem.status(of: location.path) == nil { try fileSystem.syncDirectory(path) }
      }
    } catch {
      throw LogError.files(error, "a directory for the log cannot be created")
    }
    if status?.kind == .file { throw misplacedFile(at: folder) }
  }

  /// Opens the set, or creates it if the path does not exist or is an empty directory. Blocks.
  ///
  /// - Parameter suffix: A text that no other process uses at the same time.
  func open(suffix: String) throws {
    let marker = path + "/" + Self.markerName
    let other: String?
    let bytes: [UInt8]
    do throws(FileSystemError) {
      if try fileSystem.status(of: path) == nil { try fileSystem.makeDirectories(path) }
      let exists = try fileSystem.status(of: marker) != nil
      other = exists ? nil : try otherName()
      if !exists, other == nil { try makeMarker(at: marker, suffix: suffix) }
      // The marker may be that of a process that ended before it synced it.
      if exists { try fileSystem.syncDirectory(path) }
      bytes = other == nil ? try fileSystem.contents(of: marker, limitBytes: Self.markerLimitBytes) : []
    } catch {
      throw LogError.files(error, "the set of logs cannot be opened")
    }
    if let other { throw notASet(other) }
    try check(bytes, of: marker)
  }

  private func otherName() throws(FileSystemError) -> String? {
    try fileSystem.names(in: path).first { name in !name.hasPrefix(Self.markerName + ".") }
  }

  private func notASet(_ name: String) -> LogError {
    LogError(
      .notALog, "the directory is not a set of logs: it has no file '\(Self.markerName)' but, for example, '\(name)'",
      path: path, advice: "Nothing was changed. Name a directory that is empty or does not exist.")
  }

  private func makeMarker(at marker: String, suffix: String) throws(FileSystemError) {
    let contents: JSONValue = [
      "format": .string(Self.format), "fanout": .number(JSONNumber(Self.fanout)), "model": .string(model),
    ]
    let newPath = "\(marker).\(suffix)"
    try fileSystem.createFile(newPath, with: contents.bytes() + [UInt8(ascii: "\n")])
    do throws(FileSystemError) { try fileSystem.renameWithoutReplacing(newPath, to: marker) } catch {
      guard error.code == .exists else { throw error }
      // Another process has created the set; its marker is checked next.
      try fileSystem.remove(newPath)
    }
    try fileSystem.syncDirectory(path)
  }

  private func check(_ bytes: [UInt8], of marker: String) throws {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch {
      throw LogError(
        .damaged, "the file that describes the set of logs is not JSON", path: marker,
        advice: "The logs are intact. Restore the file, or copy that of another set of the same model.",
        underlying: error)
    }
    guard case .object(let object) = value, case .string(Self.format)? = object["format"],
      case .number(let fanout)? = object["fanout"], fanout.int == Self.fanout
    else {
      throw LogError(
        .unsupportedFormat, "the set of logs has another format than '\(Self.format)' with \(Self.fanout) directories",
        path: marker, advice: "Nothing was changed. It was made by a newer version of the engine.")
    }
    guard case .string(let found)? = object["model"], found == model else {
      throw LogError(
        .wrongModel, "the set holds logs of another model, not '\(model)'", path: path,
        advice: "Nothing was changed. Use the model that \(marker) names.")
    }
  }
}

// MARK: - Removing

extension LogSetFolder {
  /// The beginning of the names of logs that are being removed. They do not contain the key, which can be that of a person.
  private static let removedPrefix = ".removed-"

  /// Removes a log that no process has open, and finishes removals in its directory that were interrupted. Blocks.
  ///
  /// It is renamed first, so that after a crash it is complete or gone.
  ///
  /// - Parameter suffix: A text that no other process uses at the same time.
  func remove(_ location: Location, suffix: String) throws(LogError) {
    let (folder, path) = (Self.folder(of: location), location.path)
    let what = "the log cannot be removed"
    let status = try LogError.files(what) { () throws(FileSystemError) in
      guard try fileSystem.status(of: folder)?.kind == .directory else { return nil as FileStatus? }
      try finishRemovals(in: folder)
      return try fileSystem.status(of: path)
    }
    guard let status else { throw LogError(.notFound, "there is no log of the key", path: path) }
    guard status.kind == .directory else { throw misplacedFile(at: path) }
    try LogError.files(what) { () throws(FileSystemError) in
      let lock = try fileSystem.lockPresent(directory: path)
      defer { lock.unlock() }
      let removed = folder + "/" + Self.removedPrefix + suffix
      try fileSystem.rename(path, to: removed)
      try fileSystem.syncDirectory(folder)
      try fileSystem.removeTree(removed)
      try fileSystem.syncDirectory(folder)
    }
  }

  /// Finishes removals that were interrupted. Blocks.
  ///
  /// - Returns: The first error, with the directory that it concerns: the other logs do not depend on it.
  func finishRemovals() -> FileSystemError? {
    do throws(FileSystemError) {
      var failure: FileSystemError?
      for name in try fileSystem.names(in: path) where Self.isFanout(name) {
        do throws(FileSystemError) { try finishRemovals(in: path + "/" + name) } catch {
          // A file in the place of the directory is reported by the summaries.
          if error.code != .notADirectory, error.code != .notFound { failure = failure ?? error }
        }
      }
      return failure
    } catch {
      return error
    }
  }

  private func finishRemovals(in folder: String) throws(FileSystemError) {
    for name in try fileSystem.names(in: folder) where name.hasPrefix(Self.removedPrefix) {
      let path = folder + "/" + name
      do throws(FileSystemError) {
        let lock = try fileSystem.lock(directory: path)
        defer { lock.unlock() }
        try fileSystem.removeTree(path)
        try fileSystem.syncDirectory(folder)
      } catch {
        // Another process removes it, or has done so.
        guard error.code == .locked || error.code == .notFound else { throw error }
      }
    }
  }
}
