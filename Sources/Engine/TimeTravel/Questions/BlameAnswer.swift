public import JSONCoding

/// Which action last changed a value.
public struct BlameAnswer: Sendable {
  /// The place that was asked for.
  public let pointer: JSONPointer
  /// The revision that was asked at.
  public let revision: Int
  /// The last change at or before the revision; `nil` if the value is what it was at the beginning.
  public let change: ValueChange?
  /// What it took to find out.
  public internal(set) var work: QuestionWork

  private let known: KnownValue?

  /// The value at the revision; `nil` if there is none, or if it cannot be encoded.
  ///
  /// - Complexity: O(size of the value) at the first call.
  public var value: JSONValue? { known?.json(orElse: nil) }

  /// Whether there is a value at the revision.
  ///
  /// - Complexity: O(1).
  public var hasValue: Bool { known != nil }

  init(pointer: JSONPointer, revision: Int, value: KnownValue?, change: ValueChange?, work: QuestionWork) {
    self.pointer = pointer
    self.revision = revision
    self.change = change
    self.work = work
    known = value
  }
}
