/// An action of a branch that was passed over.
public struct BranchRefusal: Sendable {
  /// The revision of the action in the history; of one that was put in, the revision behind which it was.
  public let revision: Int
  /// Its type.
  public let type: String
  /// Whether an edit put it there.
  public let isEdited: Bool
  /// What the reducer threw; for a branch that is folded by another model, perhaps why the action is none of that model's.
  public let error: any Error
}
