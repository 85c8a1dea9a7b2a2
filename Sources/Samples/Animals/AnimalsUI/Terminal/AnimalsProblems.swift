import AnimalsData
public import Observation
import SampleSupport

/// What went wrong last, to be shown until something else is done, and what keeps the log from being written, to be shown
/// until that has passed.
@MainActor @Observable public final class AnimalsProblems {
  /// The problem as a line of text; `nil` for none.
  public private(set) var text: String?
  /// Why nothing is recorded, as a line of text; `nil` while all is well.
  public private(set) var recordingText: String?

  /// Makes a list of no problems.
  public init() {}

  /// Shows an error.
  public func tell(_ error: any Error) { text = ErrorSummary(error).description }

  /// Shows why nothing is recorded.
  ///
  /// - Parameter error: What keeps the recorder from recording; `nil` when it goes on.
  public func tell(recordingError error: (any Error)?) {
    recordingText = error.map { error in "not recorded: \(ErrorSummary(error))" }
  }

  /// Shows nothing more, unless nothing is recorded.
  public func clear() { text = nil }
}
