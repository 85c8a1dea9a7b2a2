import SampleSupport

/// Why something failed, as data: a code to branch on, a text for people, and the place.
///
/// It is made once, where the failure happens, and stored; nothing of it is recomputed, because texts of errors differ
/// from platform to platform.
public struct FailureReason: Hashable, Codable, Sendable {
  /// What kind of failure it is, for instance `timeLimitReached`.
  public let code: String
  /// What happened.
  public let message: String
  /// Where: a path or an address. `nil` when the failure does not say.
  public let place: String?

  /// Makes a reason from its parts.
  public init(code: String, message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension FailureReason {
  /// Makes the reason of an error.
  ///
  /// The errors of the guide and of this engine are structs with a member `code`, and mostly `message`, `path` or
  /// `url`, and `underlying`: these are taken. What an error does not have is told as the system tells it.
  public init(_ error: any Error) {
    let summary = ErrorSummary(error)
    self.init(code: summary.code, message: summary.message, place: summary.place)
  }
}

extension FailureReason: CustomStringConvertible {
  /// For instance `timeLimitReached: no answer within 60 seconds: remote store`.
  public var description: String {
    ErrorSummary(code: code, message: message, place: place).description
  }
}
