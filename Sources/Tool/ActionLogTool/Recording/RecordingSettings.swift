import ActionLog
import EventSourcing

/// How `record` was asked to record.
struct RecordingSettings: Sendable {
  var configuration: LogConfiguration
  var fileSystem: any LogFileSystem
  /// A snapshot after every so many actions; `nil` leaves it to the engine.
  var snapshotEvery: Int?
  /// Told what is worth a remark.
  var remarks: LogRemarks
  /// What to do when the reducer was changed.
  var onDivergence = RecordingDivergencePolicy.useFold
}
