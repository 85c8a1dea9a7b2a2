import EventSourcing

/// A fold that skips the actions that the reducer refuses.
///
/// A reducer that throws may have changed part of the state, so the fold needs a copy to return to. A copy before every action
/// would make every action copy a large `Dictionary`. So a copy is taken periodically, and after a refusal the actions since
/// the copy are folded again.
struct TolerantFold<M: Model> {
  private var current: M.State
  /// A state that no reducer changes, and the actions from there to `current`.
  private var copy: M.State
  private var since: [[M.Action]] = []
  /// The number of next actions that are folded with a copy each: one refusal is often followed by others.
  private var carefulCount = 0
  private(set) var actionsFolded = 0

  private static var copyInterval: Int { 256 }
  private static var carefulInterval: Int { 64 }

  init(from state: M.State) {
    current = state
    copy = state
  }

  var state: M.State { current }

  /// Continues from a state that equals the current one, so that the two share storage.
  mutating func share(_ state: M.State) {
    current = state
    copy = state
    since.removeAll(keepingCapacity: true)
  }

  /// Folds the actions of one record, all or none. Nearly always it is one action.
  mutating func fold(_ actions: [M.Action]) throws -> (any Error)? {
    actionsFolded += actions.count
    if carefulCount > 0 { return foldCarefully(actions) }
    if since.count == Self.copyInterval {
      copy = current
      since.removeAll(keepingCapacity: true)
    }
    do {
      for action in actions { try M.reduce(into: &current, action: action) }
      since.append(actions)
      return nil
    } catch {
      try restore()
      carefulCount = Self.carefulInterval
      return error
    }
  }

  private mutating func foldCarefully(_ actions: [M.Action]) -> (any Error)? {
    carefulCount -= 1
    var next = current
    do {
      for action in actions { try M.reduce(into: &next, action: action) }
      current = next
    } catch {
      carefulCount = Self.carefulInterval
      return error
    }
    if carefulCount == 0 { copy = current }
    return nil
  }

  private mutating func restore() throws {
    current = copy
    for action in since.joined() {
      do {
        try M.reduce(into: &current, action: action)
      } catch {
        throw TimeTravelError(
          .unanswerable,
          "the reducer of '\(M.name)' refused an action that it accepted before in the same state: it depends on more "
            + "than its arguments",
          underlying: error)
      }
      actionsFolded += 1
    }
    since.removeAll(keepingCapacity: true)
    copy = current
  }
}
