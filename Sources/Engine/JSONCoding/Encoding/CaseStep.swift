/// One level of nested enum cases, found while an action was encoded.
public struct CaseStep: Sendable, Hashable {
  /// The name of the case: the only member of an object that was opened as a nested keyed container.
  public var key: String
  /// The range of that nested object in the encoded bytes, including braces.
  public var content: Range<Int>

  /// Creates a step.
  public init(key: String, content: Range<Int>) {
    self.key = key
    self.content = content
  }
}
