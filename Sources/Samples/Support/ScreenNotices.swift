public import EventSourcing
public import ImmutableData
public import Observation

/// Notices of a screen: the last one, which is shown until the next command, and the reason why nothing is recorded, which is shown
/// until recording works again. Reading is observed (`Observation`).
@MainActor @Observable public final class ScreenNotices {
  /// The last notice; `nil` if there is none.
  public private(set) var last: String?
  /// The reason why nothing is recorded; `nil` if recording works.
  public private(set) var recordingFailure: String?
  /// Whether `Recorder.resume()` may restart the recording.
  public private(set) var canResume = false
  @ObservationIgnored private let follower = StoreFollower()

  /// The reason why nothing is recorded, or else the last notice; `nil` if there is none.
  public var text: String? { recordingFailure ?? last }

  /// Creates empty notices.
  public init() {}

  /// Shows a notice until it is cleared.
  public func report(_ text: String) {
    last = text
  }

  /// Shows a failure unless another notice is shown, which is more specific.
  public func reportFailure(_ text: String) {
    if last == nil { last = text }
  }

  /// Shows that nothing is recorded, until recording works again.
  public func report(recordingFailure text: String?) {
    recordingFailure = text
  }

  /// Clears the last notice. A recording failure stays.
  public func clear() {
    if last != nil { last = nil }
  }
}

extension ScreenNotices {
  /// A handler of a recorder's status that shows when recording fails and when it resumes.
  public nonisolated var statusObserver: @Sendable (RecorderStatus.Phase) -> Void {
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
  public func listen<Action>(
    to store: some Streamer<some Sendable, Action> & AnyObject,
    describing text: @escaping @MainActor (Action) -> String?
  ) {
    follower.follow(store) { [weak self] _, _, action in
      if let text = text(action) { self?.report(text) }
    }
  }
}
