/// Saves what is good of a damaged log, in a new one.
public enum LogSalvage {
  /// Writes the intact actions of a log to a new one that names the old one as its parent. The old log is not changed.
  ///
  /// Good records from beyond the first gap go to `after-gap.jsonl` beside the new segments: they are not part of the new
  /// log, because the state that they were recorded on is lost.
  ///
  /// - Parameters:
  ///   - path: The old log's directory.
  ///   - target: A path at which nothing lies, or an empty directory.
  ///   - join: Whether to put the actions from beyond gaps behind the intact ones all the same, with new numbers, the old
  ///     number kept in `meta.was`. They may mean something else there, or be refused by the reducer.
  ///   - model: The name of the model, for a log of which no segment has a good first line.
  ///   - fileSystem: The door to the disk.
  ///   - environment: Clock and identifier of the new log.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `exists`, `noSpace`, `inputOutput`, and as
  ///   ``LogWriter/open(_:model:schema:parent:fileSystem:configuration:)``. Nothing is at the target then: the new log is
  ///   made beside it, as `TARGET.unfinished`, and gets its name when it is whole.
  /// - Complexity: O(length of the log); memory O(longest line).
  public static func salvage(
    _ path: String,
    to target: String,
    join: Bool = false,
    model: String? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live
  ) throws(LogError) -> SalvageReport {
    let path = LogFolder.trimmed(path)
    let folder = try LogFolder.list(path, fileSystem)
    guard !folder.segments.isEmpty else { throw LogError(.notALog, "the directory holds no segment", path: path) }
    let source = try SalvageSource(folder, fileSystem, model: model)
    let target = LogFolder.trimmed(target)
    let directory: NewDirectory
    do throws(FileSystemError) { directory = try NewDirectory(at: target, fileSystem) } catch {
      throw LogError.making(error, "the new log cannot be made", path: target)
    }
    do throws(LogError) {
      let report = try fill(directory.path, target, source, fileSystem, environment, join: join)
      do throws(FileSystemError) { try directory.finish() } catch {
        throw LogError.files(error, "the new log cannot be made", path: target)
      }
      return report
    } catch {
      directory.discard()
      throw error
    }
  }

  private static func fill(
    _ path: String, _ target: String, _ source: SalvageSource, _ fileSystem: any LogFileSystem,
    _ environment: LogEnvironment, join: Bool
  ) throws(LogError) -> SalvageReport {
    var sink = try SalvageSink(path, target: target, source, fileSystem, environment)
    do throws(LogError) {
      try source.forEachIntact { (record) throws(LogError) in try sink.take(intact: record) }
      try sink.finishIntact()
      let gaps = try source.forEachBeyond { (line) throws(LogError) in try sink.take(beyond: line, join: join) }
      return try sink.finish(gaps)
    } catch {
      sink.abandon()
      throw error
    }
  }
}
