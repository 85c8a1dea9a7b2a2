public import Foundation

/// Why a ``LocalStore`` refuses. What goes wrong with its log is a `LogError` or an `EventSourcingError`.
public struct LocalStoreError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// There is no animal with the id.
    case animalNotFound
    /// The address is not one of a file.
    case urlError
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The address, where it is about one.
  public var path: String?

  init(_ code: Code, _ message: String, path: String? = nil) {
    self.code = code
    self.message = message
    self.path = path
  }

  static func animalNotFound(_ animalId: Animal.ID) -> LocalStoreError {
    LocalStoreError(.animalNotFound, "there is no animal with the id '\(animalId)'")
  }
}

extension LocalStoreError: LocalizedError {
  /// What happened, and where.
  public var errorDescription: String? { [message, path].compactMap(\.self).joined(separator: ": ") }
}

extension LocalStore {
  /// What a store refuses with.
  public typealias Error = LocalStoreError
}
