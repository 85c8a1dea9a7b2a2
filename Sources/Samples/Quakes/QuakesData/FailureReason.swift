import SampleSupport

/// The code, message and place of a failure, as data.
///
/// It is created where the failure occurs and stored unchanged, because the texts of errors differ between platforms.
public struct FailureReason: Hashable, Codable, Sendable {
  /// The kind of failure, for instance `timeLimitReached`.
  public let code: String
  /// A description of the failure.
  public let message: String
  /// The path or address where it occurred; `nil` if the error has none.
  public let place: String?

  /// Creates a reason from its parts.
  public init(code: String, message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension FailureReason {
  /// Creates the reason of an error.
  ///
  /// For errors that do not adopt `DescribedError`, the system's descriptions are used.
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
