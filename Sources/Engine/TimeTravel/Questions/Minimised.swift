public import EventSourcing

/// A few actions of a history that by themselves still make a condition hold.
public struct Minimised<Action: Sendable>: Sendable {
  /// The actions, in their order.
  public let actions: [RecordedAction<Action>]
  /// How many actions there were.
  public let originalCount: Int
  /// Whether without any one of the actions the condition no longer holds; if not, the search was ended by its limit.
  public let isMinimal: Bool
  /// How many selections of actions were tried.
  public let trials: Int
  /// What it took to find out.
  public let work: QuestionWork
}
