public import Foundation

/// Why a ``RemoteStore`` or ``FeedFiles`` has no quakes to give, besides what a session throws.
public struct RemoteStoreError: Error, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The address of the feed cannot be made.
    case urlError
    /// The file of a feed cannot be read.
    case unreadableFile
    /// The file of a feed is not the JSON that was expected.
    case decodingError
    /// The feed has features, but not one of them can be read: it is not the feed that was expected.
    case unreadableFeed
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The feed.
  public var url: URL?
  /// The error that caused this one.
  public var underlying: (any Error)?

  init(_ code: Code, _ message: String, url: URL? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.url = url
    self.underlying = underlying
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
