package import EventSourcing
import Observation

/// How a recorder is doing, for a line on a screen: it is observed, so a screen that shows it is drawn when it changes.
///
/// ```swift
/// let monitor = RecordingMonitor()
/// let recorder = try await Recorder<CounterModel>.open(path, configuration: monitor.watching(RecordingConfiguration()))
/// ```
@MainActor @Observable package final class RecordingMonitor {
  /// What keeps the recorder from recording, in words for people; `nil` while all is well.
  package private(set) var problem: String?
  /// Whether ``Recorder/resume()`` can help.
  package private(set) var canResume = false

  /// Makes a monitor that has seen nothing yet.
  package nonisolated init() {}

  /// The same configuration, whose recorder tells this monitor.
  package nonisolated func watching<M: Model>(_ configuration: RecordingConfiguration<M>) -> RecordingConfiguration<M> {
    var configuration = configuration
    let previous = configuration.onStatusChange
    configuration.onStatusChange = { [weak self] phase in
      previous?(phase)
      // The changes come one at a time, and tasks of the main actor run in the order in which they were made.
      Task { @MainActor in self?.take(phase) }
    }
    return configuration
  }

  private func take(_ phase: RecorderStatus.Phase) {
    switch phase {
    case .idle, .recording, .closed:
      problem = nil
      canResume = false
    case .stopped(let error):
      problem = "not recorded, kept: \(ToolFailure(any: error).message)"
      canResume = true
    case .failed(let error):
      problem = "not recorded any more: \(ToolFailure(any: error).message)"
      canResume = false
    }
  }
}
