/// What the level `interval` has under way for a writer: at most one call that is to come, and at most one synchronisation.
///
/// They are apart: what is written while a synchronisation takes its time has its own interval, from then on. When that is over and
/// the synchronisation is not, another one follows it at once, by the same thread.
struct IntervalTurn: Sendable {
  /// The last call that was asked for, and whether it is to come.
  private var number = 0
  private var isAwaited = false
  /// Takes it back, once the environment has told how.
  private var cancel: (@Sendable () -> Void)?
  private var isSynchronizing = false
  private var isOverdue = false

  /// Expects a call.
  ///
  /// - Returns: The number that it is to come with; `nil` if one is to come already.
  mutating func expect() -> Int? {
    guard !isAwaited else { return nil }
    isAwaited = true
    number += 1
    return number
  }

  /// Keeps what takes a call back.
  ///
  /// - Returns: Whether the call is still to come.
  mutating func keep(_ cancel: @escaping @Sendable () -> Void, ofCall number: Int) -> Bool {
    guard isAwaited, number == self.number else { return false }
    self.cancel = cancel
    return true
  }

  /// Expects the call no more.
  ///
  /// - Returns: What takes it back, for when the lock is free.
  mutating func withdraw() -> (@Sendable () -> Void)? {
    isAwaited = false
    defer { cancel = nil }
    return cancel
  }

  /// Notes that a call has come.
  ///
  /// - Returns: Whether whoever brings it is to synchronise.
  mutating func begin(call number: Int) -> Bool {
    guard isAwaited, number == self.number else { return false }
    isAwaited = false
    cancel = nil
    guard !isSynchronizing else {
      isOverdue = true
      return false
    }
    isSynchronizing = true
    return true
  }

  /// Notes the end of a synchronisation.
  ///
  /// - Returns: Whether there has to be another one.
  mutating func isToGoOn() -> Bool {
    defer { isOverdue = false }
    isSynchronizing = isOverdue
    return isOverdue
  }
}
