package import ActionLog

/// A file that appears at its path complete or not at all.
///
/// Its bytes are written to an unfinished file of its own next to the path, so that two processes do not mix their
/// bytes. The rename checks atomically that nothing is at the path, and is durable when ``finish()`` returns.
package final class NewFile {
  /// The first bytes of a page, which may replace another one, or an empty file.
  private static let pageBeginning = Array("<!DOCTYPE html>".utf8)

  let path: String
  private(set) var sizeBytes = 0
  private let replacesPage: Bool
  private let fileSystem: any LogFileSystem
  private let unfinished: UnfinishedFiles
  private let file: any LogFile
  private let unfinishedPath: String
  private var buffer: [UInt8] = []
  private var isOpen = true

  /// Large enough to make the cost of a write call irrelevant.
  private static let bufferLimitBytes = 256 << 10

  package init(
    _ path: String, replacingPage replacesPage: Bool = false, in fileSystem: any LogFileSystem,
    unfinished: UnfinishedFiles
  ) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("the path of the file is empty") }
    (self.path, self.replacesPage) = (path, replacesPage)
    (self.fileSystem, self.unfinished) = (fileSystem, unfinished)
    do throws(FileSystemError) {
      if try fileSystem.status(of: path) != nil { try Self.check(path, replacesPage, fileSystem) }
      (file, unfinishedPath) = try unfinished.create(nextTo: path, in: fileSystem)
    } catch {
      throw Self.failure(error, path, replacesPage)
    }
  }

  /// Appends bytes. After an error only ``discard()`` may follow.
  package func append(_ bytes: [UInt8]) throws(ToolFailure) {
    buffer += bytes
    sizeBytes += bytes.count
    if buffer.count >= Self.bufferLimitBytes { try flush() }
  }

  /// Moves the file to its path. After an error a file at the path is unchanged, unless only the last step failed, which makes the new
  /// name durable.
  package func finish() throws(ToolFailure) {
    try flush()
    do throws(FileSystemError) {
      try file.sync(.full)
      try unfinished.release(unfinishedPath) { () throws(FileSystemError) in try takeName() }
      end()
      try fileSystem.syncDirectory(Self.directory(of: path))
    } catch {
      throw Self.failure(error, path, replacesPage)
    }
  }

  /// Removes the unfinished file; no effect on a finished one.
  package func discard() {
    guard isOpen else { return }
    end()
    unfinished.remove(unfinishedPath)
  }
}

extension NewFile {
  /// Writes the file of a command. It is at its path when this returns, and nothing is left of it if writing fails.
  static func make<Answer>(
    _ path: String?, replacingPage replacesPage: Bool = false, for context: CommandContext,
    _ write: (NewFile?) throws -> Answer
  ) throws -> Answer {
    guard let path else { return try write(nil) }
    let file = try NewFile(
      path, replacingPage: replacesPage, in: context.files, unfinished: context.environment.stop.unfinishedFiles)
    do {
      let answer = try write(file)
      try file.finish()
      return answer
    } catch {
      file.discard()
      throw error
    }
  }

  private func flush() throws(ToolFailure) {
    defer { buffer.removeAll(keepingCapacity: true) }
    do throws(FileSystemError) { try file.append(buffer) } catch { throw Self.failure(error, path, replacesPage) }
  }

  private func end() {
    file.close()
    isOpen = false
  }

  /// Renames the file. Another process may have created one at the path since the first check.
  private func takeName() throws(FileSystemError) {
    do throws(FileSystemError) {
      try fileSystem.renameWithoutReplacing(unfinishedPath, to: path)
    } catch {
      guard error.code == .exists, replacesPage else { throw error }
      try Self.check(path, replacesPage, fileSystem)
      try fileSystem.rename(unfinishedPath, to: path)
    }
  }

  private static func check(
    _ path: String, _ replacesPage: Bool, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) {
    let refusal = FileSystemError(code: .exists, operation: "open", path: path)
    guard replacesPage else { throw refusal }
    let file = try fileSystem.open(path, for: .read)
    defer { file.close() }
    let beginning = try file.bytes(at: 0, count: pageBeginning.count)
    guard beginning.isEmpty || beginning == pageBeginning else { throw refusal }
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func failure(
    _ error: FileSystemError, _ path: String, _ replacesPage: Bool
  ) -> ToolFailure {
    let message = "the file cannot be created"
    func exists(_ what: String, _ advice: MessageText) -> ToolFailure {
      ToolFailure("exists", .usage, "\(message): \(what)", path: path, advice: advice)
    }
    switch (error.code, replacesPage) {
    case (.exists, _) where error.path != path:
      return exists(
        "too many unfinished files are next to it",
        "Remove '\(error.path)' and the files with similar names, or name another file.")
    case (.exists, true): return exists("the existing file is not an HTML page", "Name another file, or remove it.")
    case (.notARegularFile, true): return exists("the path is not a regular file", "Name another file.")
    case (.exists, false): return exists("the path already exists", "Name a file that does not exist yet.")
    default:
      var failure = ToolFailure(any: error)
      failure.message = "\(message) (\(failure.message))"
      // The user knows the path, and not the unfinished file.
      failure.path = path
      return failure
    }
  }
}
