public import ActionLog

/// A stretch of a history as values: the state that it begins with, and each action with what it changed.
///
/// It is what a page about a history holds: every state of the stretch can be made of it without the model, by applying the changes
/// from ``base``, or from a ``Step/keyframe``, onward. States are not carried one by one, so an excerpt takes about as much
/// as was changed.
public struct HistoryExcerpt: Sendable {
  /// An action of the stretch.
  public struct Step: Sendable {
    /// The action, as the log holds it.
    public let record: LogRecord
    /// What it changed: applied to the state before, it gives the state after exactly. Only `add`, `remove` and `replace`
    /// occur.
    public let changes: JSONPatch
    /// The state after it, now and then: so often that no state is far from one that is here, and so seldom that they
    /// take about a quarter of what the changes take.
    public let keyframe: StateTree?
  }

  /// Why an excerpt does not begin where it was asked to.
  public enum Cut: Hashable, Sendable {
    /// There are more actions than were wanted.
    case count
    /// Together they would be larger than was wanted.
    case size
  }

  /// The revision of ``base``: the actions behind it are in ``steps``.
  public let first: Int
  /// The state at ``first``.
  public let base: StateTree
  /// The actions, in order; the one at index *i* leads to revision ``first`` + 1 + *i*.
  public let steps: [Step]
  /// The revision that was asked to begin at, and why it begins later; `nil` if it begins there.
  public let cut: (asked: Int, reason: Cut)?

  /// The last revision.
  public var last: Int { first + steps.count }
}
