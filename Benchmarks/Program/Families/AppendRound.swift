import ActionLog
import AnimalsData

/// What the appending contenders share.
enum AppendRound {
  /// Opens a new log.
  static func writer(
    _ path: String, _ configuration: LogConfiguration, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws -> LogWriter {
    var configuration = configuration
    configuration.environment = .reproducible
    return try LogWriter.open(
      path, model: AnimalsModel.name, schema: AnimalsModel.schema, fileSystem: fileSystem, configuration: configuration)
  }

  /// An action as a draft with a time that depends on its place alone.
  static func draft(of action: some Encodable, at index: Int) throws -> LogDraft {
    let time = LogTime(microseconds: LogEnvironment.epochMicroseconds + Int64(index) * 37_001)
    return LogDraft(try ActionCoding.encode(action), time: time)
  }

  /// Hands out so many actions, from the beginning again when there are fewer, in batches of drafts.
  static func inBatches(
    _ actions: [some Encodable], count: Int, of length: Int, _ append: ([LogDraft]) throws -> Void
  ) throws {
    var drafts: [LogDraft] = []
    drafts.reserveCapacity(length)
    for index in 0..<count {
      drafts.append(try draft(of: actions[index % actions.count], at: index))
      if drafts.count == length || index == count - 1 {
        try append(drafts)
        drafts.removeAll(keepingCapacity: true)
      }
    }
  }
}
