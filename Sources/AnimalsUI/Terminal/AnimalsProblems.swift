import AnimalsData
public import Observation
import StoreSupport

/// What went wrong last, to be shown until something else is done.
@MainActor @Observable public final class AnimalsProblems {
  /// The problem as a line of text; `nil` for none.
  public private(set) var text: String?

  /// Makes a list of no problems.
  public init() {}

  /// Shows an error.
  public func tell(_ error: any Error) { text = ErrorSummary(error).description }

  /// Shows nothing more.
  public func clear() { text = nil }
}
