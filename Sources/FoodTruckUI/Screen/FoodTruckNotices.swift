public import Observation

/// What the application has to tell besides its state: that something is not recorded, for instance.
@MainActor @Observable
public final class FoodTruckNotices {
  /// What was told last; empty when there is nothing.
  public private(set) var message = ""

  /// Makes notices that say nothing.
  public init() {}

  /// Tells something.
  ///
  /// - Parameter message: What.
  public func tell(_ message: String) {
    self.message = message
  }
}
