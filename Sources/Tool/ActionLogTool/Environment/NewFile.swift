package import ActionLog

/// A file that appears at its path whole or not at all.
///
/// Until then its bytes lie beside it, in a file that nobody else writes: of two that make a file of one name at once, each makes a
/// whole one. It gets its name in one act with the check that nothing lies there, and when ``finish()`` returns that is durable.
package final class NewFile {
  /// A file that may lie at the path already, and is replaced.
  package struct Replaceable: Sendable {
    /// What it is, for instance `HTML page`.
    let name: String
    /// What it begins with. An empty file will do, too.
    let beginning: [UInt8]

    /// A page for browsers.
    package static let page = Replaceable(name: "HTML page", beginning: Array("<!DOCTYPE html>".utf8))
  }

  let path: String
  /// How many bytes were appended.
  private(set) var sizeBytes = 0
  private let replaceable: Replaceable?
  private let fileSystem: any LogFileSystem
  private let unfinished: UnfinishedFiles
  private let file: any LogFile
  private let unfinishedPath: String
  private var buffer: [UInt8] = []
  private var isOpen = true

  /// Enough that a call for each portion does not matter.
  private static let bufferLimitBytes = 256 << 10

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - path: A path at which nothing lies, or what may be replaced.
  ///   - replaceable: What may be replaced; `nil` for nothing.
  ///   - fileSystem: The door to the disk.
  ///   - unfinished: Takes the file away when a signal ends the process.
  /// - Throws: ``ToolFailure`` with code `exists` when something else lies there; with `usage`, `noSpace` or `inputOutput`.
  package init(
    _ path: String, replacing replaceable: Replaceable? = nil, in fileSystem: any LogFileSystem,
    unfinished: UnfinishedFiles
  ) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("the path of the file is empty") }
    (self.path, self.replaceable) = (path, replaceable)
    (self.fileSystem, self.unfinished) = (fileSystem, unfinished)
    do throws(FileSystemError) {
      if try fileSystem.status(of: path) != nil { try Self.check(path, replaceable, fileSystem) }
      (file, unfinishedPath) = try unfinished.make(beside: path, in: fileSystem)
    } catch {
      throw Self.failure(error, path, replaceable)
    }
  }

  /// Adds bytes at the end.
  ///
  /// - Throws: ``ToolFailure`` with code `noSpace` or `inputOutput`; then only ``discard()`` is left to be done.
  package func append(_ bytes: [UInt8]) throws(ToolFailure) {
    buffer += bytes
    sizeBytes += bytes.count
    if buffer.count >= Self.bufferLimitBytes { try flush() }
  }

  /// Gives the file its name.
  ///
  /// - Throws: As ``append(_:)``, and with code `exists` when something has been put at the path meanwhile. What lay there is as it
  ///   was then, but where the last step failed, which makes the name durable: then the whole file lies there, until a power cut
  ///   perhaps.
  package func finish() throws(ToolFailure) {
    try flush()
    do throws(FileSystemError) {
      try file.synchronize(.full)
      try unfinished.release(unfinishedPath) { () throws(FileSystemError) in try takeName() }
      end()
      try fileSystem.synchronizeDirectory(Self.directory(of: path))
    } catch {
      throw Self.failure(error, path, replaceable)
    }
  }

  /// Takes away what was written, unless it has its name.
  package func discard() {
    guard isOpen else { return }
    end()
    unfinished.remove(unfinishedPath)
  }
}

extension NewFile {
  /// Makes the file of a command. It has its name when this returns; when the writing fails nothing is left of it.
  ///
  /// - Parameters:
  ///   - path: Its path; `nil` when the command makes none.
  ///   - replaceable: What may be replaced; `nil` for nothing.
  ///   - context: The command.
  ///   - write: Writes it.
  static func make<Answer>(
    _ path: String?, replacing replaceable: Replaceable? = nil, for context: CommandContext,
    _ write: (NewFile?) throws -> Answer
  ) throws -> Answer {
    guard let path else { return try write(nil) }
    let file = try NewFile(
      path, replacing: replaceable, in: context.files, unfinished: context.environment.stop.unfinishedFiles)
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
    do throws(FileSystemError) { try file.append(buffer) } catch { throw Self.failure(error, path, replaceable) }
  }

  private func end() {
    file.close()
    isOpen = false
  }

  /// Somebody else may have put something at the path meanwhile.
  private func takeName() throws(FileSystemError) {
    do throws(FileSystemError) {
      try fileSystem.renameWithoutReplacing(unfinishedPath, to: path)
    } catch {
      guard error.code == .exists, replaceable != nil else { throw error }
      try Self.check(path, replaceable, fileSystem)
      try fileSystem.rename(unfinishedPath, to: path)
    }
  }

  /// Refuses what lies at the path, if it may not be replaced.
  private static func check(
    _ path: String, _ replaceable: Replaceable?, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) {
    let refusal = FileSystemError(code: .exists, operation: "open", path: path)
    guard let replaceable else { throw refusal }
    let file = try fileSystem.open(path, for: .read)
    defer { file.close() }
    let beginning = try file.bytes(at: 0, count: replaceable.beginning.count)
    guard beginning.isEmpty || beginning == replaceable.beginning else { throw refusal }
  }

  /// The directory that a path's last name stands in.
  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func failure(
    _ error: FileSystemError, _ path: String, _ replaceable: Replaceable?
  ) -> ToolFailure {
    let message = "the file cannot be made"
    func exists(_ what: String, _ advice: String) -> ToolFailure {
      ToolFailure("exists", .usage, "\(message): \(what)", path: path, advice: advice)
    }
    switch (error.code, replaceable) {
    case (.exists, _) where error.path != path:
      return exists(
        "too many that were never finished lie beside it",
        "Remove '\(error.path)' and those that are called like it, or name another file.")
    case (.exists, let replaceable?):
      return exists("there is a file that is no \(replaceable.name)", "Name another file, or remove it.")
    case (.notARegularFile, _?): return exists("there is something that is no file", "Name another file.")
    case (.exists, nil): return exists("something lies at the path already", "Name a file that does not exist yet.")
    default:
      var failure = ToolFailure(any: error)
      failure.message = "\(message) (\(failure.message))"
      // Who named the file knows nothing of the one beside it.
      failure.path = path
      return failure
    }
  }
}
