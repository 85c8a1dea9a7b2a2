public import ActionLog
import Platform

/// One log of a ``LogSet``, or a file or directory in the place of logs, with the ``failure``.
public struct LogSummary: Sendable {
  /// The key; the name of the file or directory if the key cannot be read.
  public var key: String
  /// The path of the log.
  public var path: String
  /// The last revision that can be read.
  public var lastRevision = 0
  /// The length of all segments in bytes.
  public var sizeBytes = 0
  /// The time of the last action; `nil` if there is none.
  public var lastActionTime: LogTime?
  /// The damage, or the reason why the log cannot be read; `nil` if neither was found. Sealed segments are not read: verify a log
  /// to read all of it.
  public var failure: LogError?
}

extension LogSetFolder {
  /// Returns the key of a log; `nil` if there is no log, or its header cannot be read. Blocks.
  func key(at location: Location) throws(LogError) -> String? {
    if let failure = location.failure {
      guard failure.code == .notALog else { throw failure }
      return nil
    }
    if let key = location.key { return key }
    do throws(LogError) { return try LogReader.open(at: location.path, fileSystem: fileSystem).header.key } catch {
      return nil
    }
  }

  /// Blocks.
  func summary(of location: Location) -> LogSummary {
    let name = location.path.split(separator: "/").last.map(String.init) ?? location.path
    var summary = LogSummary(key: location.key ?? name, path: location.path, failure: location.failure)
    if location.failure != nil { return summary }
    do throws(LogError) {
      let reader = try LogReader.open(at: location.path, fileSystem: fileSystem)
      if let key = reader.header.key { summary.key = key }
      summary.sizeBytes = reader.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
      let extent = try reader.extent()
      summary.lastRevision = extent.lastRevision
      summary.lastActionTime = extent.lastAction?.time
      summary.failure = extent.ending.damage
      if summary.failure == nil { summary.failure = try misplacement(reader, location) }
    } catch {
      summary.failure = error
    }
    return summary
  }

  private func misplacement(_ reader: LogReader, _ location: Location) throws(LogError) -> LogError? {
    guard let key = reader.header.key else {
      return LogError(.damaged, "the log has no key: it was not created in a set of logs", path: location.path)
    }
    guard try self.location(of: key).path != location.path else { return nil }
    return LogError(
      .damaged, "the log is that of the key '\(key)', which belongs to another directory", path: location.path,
      advice: "It is intact. Move it to where it belongs.")
  }
}
