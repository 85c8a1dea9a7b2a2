public import Foundation

/// An answer in which the one thing is missing that was asked for.
public struct RemoteResponseError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The answer has no categories.
    case categoriesNotFound
    /// The answer has no animals.
    case animalsNotFound
    /// The answer has not the animal that was added, changed or deleted.
    case animalNotFound
    /// The answer has no sample data.
    case sampleDataNotFound
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The server.
  public var path: String

  init(_ code: Code, _ message: String, path: String) {
    self.code = code
    self.message = message
    self.path = path
  }
}

extension RemoteResponseError: LocalizedError {
  /// What happened, and where.
  public var errorDescription: String? { "\(message): \(path)" }
}

extension RemoteResponse.Query {
  /// What an answer to a query lacks.
  public typealias Error = RemoteResponseError
}

extension RemoteResponse.Mutation {
  /// What an answer to a mutation lacks.
  public typealias Error = RemoteResponseError
}
