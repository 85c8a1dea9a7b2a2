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

  /// When the action at a place happened; it depends on the place alone.
  static func time(at index: Int) -> LogTime {
    LogTime(microseconds: LogEnvironment.epochMicroseconds + Int64(index) * 37_001)
  }
}
