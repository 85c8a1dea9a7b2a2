public import JSONCoding

/// Which action last changed a value.
public struct BlameAnswer: Sendable {
  /// The place that was asked for.
  public let pointer: JSONPointer
  /// The revision that was asked at.
  public let revision: Int
  /// The value there; `nil` if there is none.
  public let value: JSONValue?
  /// The last change at or before the revision; `nil` if the value is what it was at the beginning.
  public let change: ValueChange?
  /// What it took to find out.
  public internal(set) var work: QuestionWork
}
