import ActionLog
package import EventSourcing
import Observation
import Platform

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

/// Tells on standard error what recorders tell besides their status: what was cut off at a log's end, and where it is kept; that
/// no snapshot can be written. Each thing is said once; while a screen is shown it waits for its end, for a terminal has one cursor.
package final class LogRemarks: Sendable {
  private struct Contents: Sendable {
    var told: Set<String> = []
    var waiting: [String] = []
    var isHeld = false
  }

  /// More than the logs of one process have to say; what a store says that is opened again and again stays bounded.
  private static let toldLimit = 100

  private let context: CommandContext
  private let contents = Locked(Contents())

  /// Makes a teller that has told nothing yet.
  package init(_ context: CommandContext) {
    self.context = context
  }

  /// The same configuration, whose recorder has its notices told.
  package func watching<M: Model>(_ configuration: RecordingConfiguration<M>) -> RecordingConfiguration<M> {
    var configuration = configuration
    let previous = configuration.onNotice
    configuration.onNotice = { [self] notice in
      previous?(notice)
      take(notice)
    }
    return configuration
  }

  /// Tells a notice, now or when the screen has gone.
  package func take(_ notice: RecordingNotice) {
    let text = Self.sentence(notice)
    let isDue = contents.withLock { contents -> Bool in
      guard contents.told.count < Self.toldLimit, contents.told.insert(text).inserted else { return false }
      if contents.isHeld { contents.waiting.append(text) }
      return !contents.isHeld
    }
    if isDue { tell([text]) }
  }

  /// Keeps back what comes, because a screen is shown.
  func hold() {
    contents.withLock { contents in contents.isHeld = true }
  }

  /// Tells what was kept back, and tells at once from now on.
  func release() {
    let texts = contents.withLock { contents -> [String] in
      defer { (contents.waiting, contents.isHeld) = ([], false) }
      return contents.waiting
    }
    tell(texts)
  }

  private func tell(_ texts: [String]) {
    guard !texts.isEmpty else { return }
    do throws(ToolStreamError) {
      for text in texts { try context.warn(text) }
      try context.messages.flush()
    } catch {
      // That nobody reads remarks is no reason not to record.
    }
  }

  private static func sentence(_ notice: RecordingNotice) -> String {
    switch notice {
    case .tornTailCut(let recovered, let log):
      return "the last writer was cut off: \(HumanText.count(recovered.bytes, "byte")) that were not whole lines "
        + "were moved to \(log)/\(recovered.file)"
    case .snapshotFailed(let error, let log):
      let failure = ToolFailure(any: error)
      let place = [failure.message, failure.path].compactMap(\.self).joined(separator: ": ")
      return "no snapshot of \(log) can be kept: \(place). The log is not affected; to open it takes longer."
    case .actionNotRecorded(let log):
      return "an action was accepted after recording had ended: \(log) does not hold it, nor any that follows"
    }
  }
}
