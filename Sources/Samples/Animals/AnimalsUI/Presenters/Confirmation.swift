/// A question before something that cannot be undone.
public struct Confirmation: Hashable, Sendable {
  /// The question.
  public var title: String
  /// What would happen.
  public var message: String
  /// What the answer is called that does it.
  public var confirmLabel: String

  /// Makes a question.
  public init(title: String, message: String, confirmLabel: String) {
    self.title = title
    self.message = message
    self.confirmLabel = confirmLabel
  }
}
