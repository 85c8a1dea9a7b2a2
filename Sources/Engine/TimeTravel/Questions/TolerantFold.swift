import EventSourcing

/// A fold that goes on when the reducer refuses an action, with the state as it was before it.
///
/// A reducer that refuses may have changed half of the state. So there is always a copy to return to; but a copy before every
/// action would make a large `Dictionary` be copied at every action. One is taken now and then, and after a refusal the actions
/// since are folded again.
struct TolerantFold<M: Model> {
  private var current: M.State
  /// A state that no reducer is at work on, and the actions that led from it to `current`.
  private var copy: M.State
  private var since: [[M.Action]] = []
  /// So many of the next actions are folded with a copy each: where one is refused, others often are.
  private var carefulCount = 0
  /// Calls of the reducer.
  private(set) var actionsFolded = 0

  private static var copyInterval: Int { 256 }
  private static var carefulInterval: Int { 64 }

  init(from state: M.State) {
    current = state
    copy = state
  }

  var state: M.State { current }

  /// Goes on from a state that equals the present one, so that the two share their parts.
  mutating func share(_ state: M.State) {
    current = state
    copy = state
    since.removeAll(keepingCapacity: true)
  }

  /// Folds the actions of one record, all or none of them; nearly always it is one.
  ///
  /// - Returns: What the reducer threw when it refused; `nil` if they were folded.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` when the reducer refuses what it accepted a moment ago.
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

  /// Brings the state to what it was before the action that was refused.
  private mutating func restore() throws {
    current = copy
    for action in since.joined() {
      do {
        try M.reduce(into: &current, action: action)
      } catch {
        throw TimeTravelError(
          .unanswerable,
          "the reducer of '\(M.name)' refused an action that it accepted a moment ago in the same state: it depends on more "
            + "than its arguments",
          underlying: error)
      }
      actionsFolded += 1
    }
    since.removeAll(keepingCapacity: true)
    copy = current
  }
}
