public import Foundation

/// Why a ``RemoteStore`` cannot ask its server.
public struct RemoteStoreError: Error, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The address of the server is none.
    case urlError
    /// The request could not be encoded.
    case requestError
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The address of the server.
  public var path: String
  /// The error that caused this one.
  public var underlying: (any Error)?

  init(_ code: Code, _ message: String, path: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.underlying = underlying
  }
}

extension RemoteStoreError: LocalizedError {
  /// What happened, and where.
  public var errorDescription: String? { "\(message): \(path)" }
}

extension RemoteStore {
  /// What a store throws besides what its session throws and what an answer lacks.
  public typealias Error = RemoteStoreError
}
