package import ImmutableData

extension DebugOutput {
  /// Writes an action, the state before it, and the state after it, if the flag of the product is set.
  ///
  /// The state after the action is folded from the one before it. The live state may be that of a later action.
  package func note<State, Action>(
    _ action: Action, in oldState: State, of product: String, reduce: (State, Action) throws -> State
  ) {
    write(product) {
      let newState: String
      do { newState = "\(try reduce(oldState, action))" } catch { newState = "none: \(error)" }
      return [("Old State", "\(oldState)"), ("Action", "\(action)"), ("New State", newState)].map { name, text in
        "[\(product)][Listener] \(name): \(text)"
      }
    }
  }
}
