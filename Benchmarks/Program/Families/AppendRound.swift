import ActionLog
import AnimalsData

/// State shared by the appending contenders.
enum AppendRound {
  /// Opens a new log.
  static func writer(
    _ path: String, _ configuration: LogConfiguration, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws -> LogWriter {
    var configuration = configuration
    configuration.environment = .reproducible
    return try LogWriter.open(
      at: path, model: AnimalsModel.name, schema: AnimalsModel.schema, fileSystem: fileSystem,
      configuration: configuration)
  }

  /// Calls a closure with `count` actions in place, starting over after the last.
  static func each<Action>(
    of actions: [Action], count: Int, _ body: (_ index: Int, _ action: borrowing Action) throws -> Void
  ) rethrows {
    try actions.withUnsafeBufferPointer { actions in
      guard let first = actions.baseAddress else { return }
      for index in 0..<count {
        try withBorrowed(first + index % actions.count) { action in try body(index, action) }
      }
    }
  }

  /// When the action at a place happened; it depends on the place alone.
  static func time(at index: Int) -> LogTime {
    LogTime(microseconds: LogEnvironment.epochMicroseconds + Int64(index) * 37_001)
  }
}
