package import ImmutableData

extension DebugOutput {
  /// Writes an action and the states before and after it if the flag of the product is set.
  ///
  /// The state after the action is computed by the reducer: the live state can already include later actions.
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
