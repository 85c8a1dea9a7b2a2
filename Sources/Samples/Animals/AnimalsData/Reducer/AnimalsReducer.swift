import TreeCollections

/// The rules of the animals sample.
///
/// Every rule checks before it writes, so an action that is refused leaves the state untouched in the in-place form too.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
public enum AnimalsReducer {
  /// Returns the state after `action`.
  ///
  /// - Throws: An error that says "animal not found" when the action is about a row that does not exist.
  /// - Complexity: That of ``reduce(into:action:)`` and, because the caller keeps the old state, a copy of a few nodes for
  ///   each row that is written, however many rows there are.
  @Sendable public static func reduce(state: AnimalsState, action: AnimalsAction) throws -> AnimalsState {
    var state = state
    try reduce(into: &state, action: action)
    return state
  }

  /// Folds `action` into `state`.
  ///
  /// - Throws: An error that says "animal not found" when the action is about a row that does not exist; `state` is then
  ///   unchanged.
  /// - Complexity: O(1), for fetched results O(length of the result).
  public static func reduce(into state: inout AnimalsState, action: AnimalsAction) throws {
    switch action {
    case .ui(.categoryList(let action)): reduce(into: &state, action: action)
    case .ui(.animalList(let action)): try reduce(into: &state, action: action)
    case .ui(.animalDetail(let action)): try reduce(into: &state, action: action)
    case .ui(.animalEditor(let action)): try reduce(into: &state, action: action)
    case .data(.persistentSession(let action)): try reduce(into: &state, action: action)
    }
  }

  /// Marks the row as having an operation under way.
  static func wait(for animalId: Animal.ID, in state: inout AnimalsState) throws {
    try requireAnimal(animalId, in: state)
    state.animals.queue[animalId] = .waiting
  }

  static func requireAnimal(_ animalId: Animal.ID, in state: AnimalsState) throws {
    guard state.animals.data.keys.contains(animalId) else { throw Error(code: .animalNotFound, animalId: animalId) }
  }
}
