public import TreeCollections

/// The state of the quakes sample: one domain with a table.
///
/// The fields are private to the package; other code reads them through the selectors.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10.
public struct QuakesState: Hashable, Codable, Sendable {
  package var quakes: Quakes

  package init(quakes: Quakes) {
    self.quakes = quakes
  }

  /// Creates the state before any action: an empty table that was never fetched.
  public init() {
    self.init(quakes: Quakes())
  }
}

extension QuakesState {
  /// The quakes: a table and the status of its last fetch.
  package struct Quakes: Hashable, Codable, Sendable {
    package var data: Table<Quake.ID, Quake>
    package var status: Status?

    package init(data: Table<Quake.ID, Quake> = [:], status: Status? = nil) {
      self.data = data
      self.status = status
    }
  }
}

extension QuakesState {
  /// The type of the state's tables.
  ///
  /// A live store holds the old state while it computes the new one. A `Dictionary` would then be copied completely at
  /// every action; a `TreeDictionary` copies a few nodes. Both are encoded in the same form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}

/// The status of an asynchronous operation; `nil` if the operation was never requested.
public enum Status: Hashable, Codable, Sendable {
  /// No information. The reducer never sets it; it can occur in decoded data.
  case empty
  /// Requested, and not answered yet.
  case waiting
  /// Completed.
  case success
  /// Failed. The text is stored as reported and never recomputed, because it differs between platforms.
  case failure(error: String)
}
