package import EventSourcing
package import ImmutableData
import Observation

/// Notices of a screen: the last one, which is shown until the next command, and the reason why nothing is recorded, which is shown
/// until recording works again. Reading is observed (`Observation`).
@MainActor @Observable package final class ScreenNotices {
  /// The last notice; `nil` if there is none.
  package private(set) var last: String?
  /// The reason why nothing is recorded; `nil` if recording works.
  package private(set) var recordingFailure: String?
  /// Whether `Recorder.resume()` may restart the recording.
  package private(set) var canResume = false
  @ObservationIgnored private let follower = StoreFollower()

  /// The reason why nothing is recorded, or else the last notice; `nil` if there is none.
  package var text: String? { recordingFailure ?? last }

  /// Creates empty notices.
  package init() {}

  /// Shows a notice until it is cleared.
  package func report(_ text: String) {
    last = text
  }

  /// Shows a failure unless another notice is shown, which is more specific.
  package func reportFailure(_ text: String) {
    if last == nil { last = text }
  }

  /// Shows that nothing is recorded, until recording works again.
  package func report(recordingFailure text: String?) {
    recordingFailure = text
  }

  /// Clears the last notice. A recording failure stays.
  package func clear() {
    if last != nil { last = nil }
  }
}

extension ScreenNotices {
  /// A handler of a recorder's status that shows when recording fails and when it resumes.
  package nonisolated var statusObserver: @Sendable (RecorderStatus.Phase) -> Void {
    { phase in
      let canResume = if case .stopped = phase { true } else { false }
      let text = phase.failure.map { error in "not recorded\(canResume ? ", kept" : ""): \(ErrorSummary(error))" }
      // Status changes are serial, and tasks of the main actor run in the order of their creation.
      Task { @MainActor in
        self.canResume = canResume
        self.report(recordingFailure: text)
      }
    }
  }

  /// Reports actions of a store from now on, instead of those of an earlier one.
  package func listen<Action>(
    to store: some Streamer<some Sendable, Action> & AnyObject,
    describing text: @escaping @MainActor (Action) -> String?
  ) {
    follower.follow(store) { [weak self] _, _, action in
      if let text = text(action) { self?.report(text) }
    }
  }
}
