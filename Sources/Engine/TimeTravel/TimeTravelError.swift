public import ActionLog
public import JSONCoding
import Platform

/// A failure of a question about a history, or of a change to one.
public struct TimeTravelError: DescribedError, Sendable {
  /// The kinds of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The state has no value at the pointer.
    case notFound
    /// A text does not name a point of a history.
    case invalidPoint
    /// The history has no such revision.
    case revisionOutOfRange
    /// The revision is before the state that a pruned log begins with.
    case pruned
    /// A store shows the past and accepts no actions.
    case paused
    /// A text is not a condition.
    case invalidCondition
    /// A question cannot be answered for this condition.
    case unanswerable
    /// A condition does not hold where it has to.
    case doesNotHold
    /// An edit of a history is impossible: it contradicts another one, or the model does not have its action.
    case invalidEdit
    /// A mark, or a line of the file of marks, breaks a rule.
    case invalidMark
    /// A log has no mark of this name.
    case unknownMark
    /// A log already has a mark of this name.
    case markExists
    /// A file is not a bug report, or a bug report cannot hold its content.
    case invalidReport
    /// A difference or a test cannot be written in the requested form.
    case notRepresentable
  }

  /// The kind of failure.
  public var code: Code
  /// The failure in words: lower case, one sentence or fragment.
  public var message: String
  /// The location in a state or in a document.
  public var pointer: JSONPointer?
  /// The revisions of the history.
  public var availableRevisions: ClosedRange<Int>?
  /// The condition, and the character that is wrong.
  public var excerpt: ConditionExcerpt?
  /// The names that may have been meant, best first.
  public var suggestions: [String]
  /// The error that caused this one.
  public var underlying: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code,
    _ message: String,
    pointer: JSONPointer? = nil,
    availableRevisions: ClosedRange<Int>? = nil,
    suggestions: [String] = [],
    excerpt: ConditionExcerpt? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.pointer = pointer
    self.availableRevisions = availableRevisions
    self.suggestions = suggestions
    self.excerpt = excerpt
    self.underlying = underlying
  }
}

extension TimeTravelError {
  /// The pointer.
  public var location: ErrorLocation { ErrorLocation(pointer: pointer) }

  /// The message, which names the pointer: `nothing at /animals/Dgo: the object at /animals has no member "Dgo"`.
  public var headline: String { message }

  /// The suggestions as a question: `Did you mean "Dog"?`
  public var advice: MessageText? {
    guard !suggestions.isEmpty else { return nil }
    let quoted = suggestions.map { suggestion in "\"\(EscapedText.escaping(suggestion))\"" }
    return "Did you mean \(quoted.joined(separator: " or "))?"
  }

  /// The headline and the advice, and below them the excerpt.
  public var description: String {
    question(after: headline) + (excerpt.map { excerpt in "\n  \(excerpt)" } ?? "")
  }

  package var sentence: String { question(after: headline) }

  /// The failure and the suggestions without the reason, for places with little room; `nil` if there is nothing to omit.
  package var essence: String? {
    guard !suggestions.isEmpty, let end = message.firstRange(of: ": ") else { return nil }
    return question(after: String(message[..<end.lowerBound]))
  }

  private func question(after text: String) -> String {
    advice.map { question in "\(text). \(question)" } ?? text
  }
}
