public import ActionLog

extension MarkStore {
  /// Lines that were taken out of the marks' file, and where they are kept.
  public struct Cleaning: Sendable {
    /// The lines that were no marks, as they were numbered.
    public var flaws: [MarkList.Flaw]
    /// The file that holds them now; `nil` when there were none.
    public var keptPath: String?
  }

  /// Takes the lines that are no marks out of the file, and keeps them in a file of the log's `quarantine/`.
  ///
  /// Marks can be made meanwhile: the file without the lines takes the other's place whole, what was added to the old one until
  /// then is added to the new one, and whoever adds a mark looks whether it is there.
  ///
  /// - Throws: `LogError` with code `locked` while somebody else does the same, or was cut off doing it; `noSpace`, `inputOutput`
  ///   when it cannot be done, and then the file is as it was.
  /// - Complexity: O(length of the file).
  public func removeFlaws() throws(LogError) -> Cleaning {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil else { return Cleaning(flaws: []) }
      let old = try fileSystem.open(path, for: .read)
      defer { old.close() }
      let bytes = try old.bytes(at: 0, count: min(try old.size(), Self.limitBytes))
      let (list, lines) = Self.reading(bytes)
      guard !list.flaws.isEmpty else { return Cleaning(flaws: []) }
      let wrong = Set(list.flaws.map { flaw in flaw.line - 1 })
      let kept = try keep(lines.indices.filter(wrong.contains).flatMap { index in Self.ended(lines[index]) })
      try replace(by: lines.indices.filter { index in !wrong.contains(index) }.flatMap { index in lines[index] })
      // Whoever opened the old file before it went could still add to it.
      let added = try old.bytes(at: bytes.count, count: max(0, try old.size() - bytes.count))
      if !added.isEmpty { try append(added) }
      return Cleaning(flaws: list.flaws, keptPath: kept)
    } catch {
      if error.code == .exists, error.path == temporaryPath {
        throw LogError(
          .locked, "somebody else is at work on the marks, or was cut off at it", path: temporaryPath,
          advice: "When nobody is, remove that file and do it again.", underlying: error)
      }
      throw failure(error, "the marks cannot be cleaned")
    }
  }

  private var temporaryPath: String { path + ".new" }

  /// More attempts at cleaning than a log sees.
  private static let keptLimit = 10_000

  private static func ended(_ line: ArraySlice<UInt8>) -> [UInt8] {
    line.last == UInt8(ascii: "\n") ? Array(line) : line + [UInt8(ascii: "\n")]
  }

  private func replace(by bytes: [UInt8]) throws(FileSystemError) {
    let file = try fileSystem.open(temporaryPath, for: .create)
    defer { file.close() }
    do throws(FileSystemError) {
      if !bytes.isEmpty { try file.append(bytes) }
      try file.synchronize(.full)
      try fileSystem.rename(temporaryPath, to: path)
      try fileSystem.synchronizeDirectory(log)
    } catch {
      // The error that counts is this one; what is left behind says so the next time.
      do throws(FileSystemError) {
        if try fileSystem.status(of: temporaryPath) != nil { try fileSystem.remove(temporaryPath) }
      } catch {}
      throw error
    }
  }

  /// Writes lines into a new file of the quarantine.
  private func keep(_ bytes: [UInt8]) throws(FileSystemError) -> String {
    let folder = log + "/" + LogFormat.quarantineName
    if try fileSystem.status(of: folder) == nil {
      try fileSystem.createDirectory(folder)
      try fileSystem.synchronizeDirectory(log)
    }
    for number in 1...Self.keptLimit {
      let path = "\(folder)/\(LogFormat.marksName).\(number).torn"
      do throws(FileSystemError) {
        let file = try fileSystem.open(path, for: .create)
        defer { file.close() }
        try file.append(bytes)
        try file.synchronize(.full)
        try fileSystem.synchronizeDirectory(folder)
        return path
      } catch {
        guard error.code == .exists else { throw error }
      }
    }
    throw FileSystemError(code: .exists, operation: "open", path: folder)
  }
}
