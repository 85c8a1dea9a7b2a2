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
  static func draft<Action>(_ coder: ActionCoder<Action>, of action: Action, at index: Int) throws -> LogDraft {
    let time = LogTime(microseconds: LogEnvironment.epochMicroseconds + Int64(index) * 37_001)
    return LogDraft(try coder.encode(action), time: time)
  }

  /// Hands out so many actions, from the beginning again when there are fewer, in batches of drafts.
  static func inBatches<Action: Codable>(
    _ actions: [Action], count: Int, of length: Int, _ append: ([LogDraft]) throws -> Void
  ) throws {
    let coder = ActionCoder<Action>()
    var drafts: [LogDraft] = []
    drafts.reserveCapacity(length)
    for index in 0..<count {
      drafts.append(try draft(coder, of: actions[index % actions.count], at: index))
      if drafts.count == length || index == count - 1 {
        try append(drafts)
        drafts.removeAll(keepingCapacity: true)
      }
    }
  }
}
