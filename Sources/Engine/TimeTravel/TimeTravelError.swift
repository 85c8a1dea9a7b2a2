public import JSONCoding

/// Why a question about a history has no answer, and what there is instead.
///
/// Programs branch on ``code``; ``description`` is for people and may change.
public struct TimeTravelError: Error, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The state has nothing at the pointer.
    case notFound
    /// A text does not name a point of a history.
    case invalidPoint
    /// The history has no such revision.
    case revisionOutOfRange
    /// A text is not a condition.
    case invalidCondition
    /// A question cannot be answered for this condition.
    case unanswerable
    /// A condition does not hold where it is to hold.
    case doesNotHold
    /// An edit of a history cannot be made: it contradicts another one, or its action is none of the model's.
    case invalidEdit
    /// A name, a remark or a line of the marks' file breaks a rule.
    case invalidMark
    /// A log has no mark of that name.
    case unknownMark
    /// A log has a mark of that name already.
    case markExists
    /// A file is not a bug report, or a bug report cannot say what it was to say.
    case invalidReport
    /// A document is not a JSON Patch.
    case invalidPatch
    /// An operation of a patch cannot be applied to this document.
    case patchFailed
    /// A `test` operation of a patch met another value.
    case testFailed
    /// A difference or a test cannot be written in the form that was asked for.
    case notRepresentable
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened, in words: lower case, one sentence or fragment.
  public var message: String
  /// The place in a state or in a document.
  public var pointer: JSONPointer?
  /// The operation of a patch, counted from 0 as the elements of the document are.
  public var operation: Int?
  /// The revisions that there are.
  public var availableRevisions: ClosedRange<Int>?
  /// The condition that is wrong, and where.
  public var excerpt: ConditionExcerpt?
  /// What the caller may have meant, best first.
  public var suggestions: [String]
  /// The error that caused this one.
  public var underlying: (any Error)?

  /// Makes an error from its parts.
  public init(
    _ code: Code,
    _ message: String,
    pointer: JSONPointer? = nil,
    operation: Int? = nil,
    availableRevisions: ClosedRange<Int>? = nil,
    suggestions: [String] = [],
    excerpt: ConditionExcerpt? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.pointer = pointer
    self.operation = operation
    self.availableRevisions = availableRevisions
    self.suggestions = suggestions
    self.excerpt = excerpt
    self.underlying = underlying
  }
}

extension TimeTravelError: CustomStringConvertible {
  /// For instance `nothing at /animals/Dgo: the object at /animals has no member "Dgo". Did you mean "Dog"?`
  public var description: String {
    headline + (excerpt.map { excerpt in "\n  \(excerpt)" } ?? "")
  }

  /// The description without the excerpt.
  package var headline: String {
    (operation.map { operation in "operation \(operation): \(message)" } ?? message) + question
  }

  /// What happened and what may have been meant, without the reasons between them: for places that have no room for those. `nil` where
  /// nothing can be left out.
  package var essence: String? {
    guard !suggestions.isEmpty, let end = message.firstRange(of: ": ") else { return nil }
    return message[..<end.lowerBound] + question
  }

  /// What may have been meant.
  private var question: String {
    guard !suggestions.isEmpty else { return "" }
    let quoted = suggestions.map { suggestion in "\"\(MessageText.escaping(suggestion))\"" }
    return ". Did you mean \(quoted.joined(separator: " or "))?"
  }
}
