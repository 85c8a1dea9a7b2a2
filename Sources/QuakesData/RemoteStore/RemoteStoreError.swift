public import Foundation

/// Why a ``RemoteStore`` has no quakes to give, besides what its session throws.
public struct RemoteStoreError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The address of the feed cannot be made.
    case urlError
    /// The feed has features, but not one of them can be read: it is not the feed that was expected.
    case unreadableFeed
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The feed.
  public var url: URL?

  init(_ code: Code, _ message: String, url: URL? = nil) {
    self.code = code
    self.message = message
    self.url = url
  }
}

extension RemoteStoreError: LocalizedError {
  /// What happened, and where.
  public var errorDescription: String? {
    [message, url?.absoluteString].compactMap(\.self).joined(separator: ": ")
  }
}

extension RemoteStore {
  /// What ``RemoteStore/fetchRemoteQuakesQuery(range:)`` throws.
  public typealias Error = RemoteStoreError
}
