/// Why a text of another program's format is not taken: what is wrong, and where.
public struct InterchangeError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The text is not strict JSON.
    case notJSON
    /// The text is JSON, and not of a shape that the format has or that can be read.
    case wrongShape
    /// A value is one that only JavaScript has, written down as jsan does it.
    case notPlain
    /// The text, a name in it or its nesting is beyond a limit.
    case beyondLimit
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened, in words: lower case, one fragment, without place.
  public var message: String
  /// The line in the text, counted from 1; `nil` for a format that has no lines.
  public var line: Int?
  /// The first byte that is wrong, counted from 0 at the first byte of the whole text.
  public var byteOffset: Int?
  /// The place in the document, as a JSON Pointer.
  public var pointer: String?
  /// What to do: whole sentences.
  public var advice: String?

  /// Makes an error from its parts.
  public init(
    _ code: Code, _ message: String, line: Int? = nil, byteOffset: Int? = nil, pointer: String? = nil,
    advice: String? = nil
  ) {
    self.code = code
    self.message = message
    self.line = line
    self.byteOffset = byteOffset
    self.pointer = pointer
    self.advice = advice
  }
}

extension InterchangeError: CustomStringConvertible {
  /// For instance `the event has no "id": line 3, byte 812`.
  public var description: String {
    var place: [String] = []
    if let line { place.append("line \(line)") }
    if let pointer { place.append("at \(pointer)") }
    if let byteOffset { place.append("byte \(byteOffset)") }
    let text = place.isEmpty ? message : message + ": " + place.joined(separator: ", ")
    return advice.map { advice in text + ". " + advice } ?? text
  }
}
