public import Foundation

/// Why a ``LocalStore`` cannot be made. What goes wrong later is a `LogError` or an `EventSourcingError`.
public struct LocalStoreError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The address is not one of a file.
    case urlError
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The address.
  public var path: String

  init(_ code: Code, _ message: String, path: String) {
    self.code = code
    self.message = message
    self.path = path
  }
}

extension LocalStoreError: LocalizedError {
  /// What happened, and where.
  public var errorDescription: String? { "\(message): \(path)" }
}
