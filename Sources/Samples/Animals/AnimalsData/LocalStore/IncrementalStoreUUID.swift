public import Foundation

/// What a ``LocalStore`` makes the ids of new animals with: `Foundation.UUID`, or a stub in tests.
public protocol IncrementalStoreUUID: Sendable {
  /// The id as a text.
  var uuidString: String { get }

  /// Makes a new one, different from all others.
  init()
}

extension UUID: IncrementalStoreUUID {}
