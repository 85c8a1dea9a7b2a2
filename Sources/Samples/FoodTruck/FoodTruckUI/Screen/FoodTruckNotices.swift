public import Observation

/// What the application has to tell besides its state. Reading it is observed.
@MainActor @Observable
public final class FoodTruckNotices {
  /// Why nothing is recorded, as long as that lasts; else what was told last; empty when there is nothing.
  public var message: String { recordingFailure ?? last }
  private var last = ""
  private var recordingFailure: String?

  /// Makes notices that say nothing.
  public init() {}

  /// Tells something, until something else is done.
  ///
  /// - Parameter message: What.
  public func tell(_ message: String) {
    last = message
  }

  /// Tells that nothing is recorded, until that has passed: doing something else does not make it good.
  ///
  /// - Parameter text: Why; `nil` when it is recorded again.
  public func tell(recordingFailure text: String?) {
    recordingFailure = text
  }

  /// Forgets what was told. What keeps things from being recorded stays.
  public func clear() {
    last = ""
  }
}
