public import ActionLog
public import JSONCoding

/// An error in a text of another program's format, with its location.
public struct InterchangeError: DescribedError, Equatable, Sendable {
  /// The kind of a failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The text is not strict JSON.
    case notJSON
    /// The text is JSON, but not of a supported shape.
    case wrongShape
    /// A value is a serialized JavaScript object, as written by jsan.
    case notPlain
    /// The text, a name, or the nesting depth exceeds a limit.
    case beyondLimit
  }

  /// The kind of failure.
  public var code: Code
  /// A description of the failure in lower case, without the location.
  public var message: String
  /// The line number, starting at 1; `nil` for a format without lines.
  public var line: Int?
  /// The offset of the first invalid byte. The first byte of the text has offset 0.
  public var byteOffset: Int?
  /// The location in the document.
  public var pointer: JSONPointer?
  /// Advice on how to fix the problem, in complete sentences.
  public var advice: MessageText?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, line: Int? = nil, byteOffset: Int? = nil, pointer: JSONPointer? = nil,
    advice: MessageText? = nil
  ) {
    self.code = code
    self.message = message
    self.line = line
    self.byteOffset = byteOffset
    self.pointer = pointer
    self.advice = advice
  }

  /// The line, the pointer and the byte.
  public var location: ErrorLocation { ErrorLocation(line: line, pointer: pointer, byteOffset: byteOffset) }
}
