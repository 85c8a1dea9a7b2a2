/// An error in a JSON text or in a value to be encoded, and its location.
///
/// Programs branch on ``code``; ``description`` is for the user and may change.
public struct JSONError: Error, Sendable, Equatable {
  /// The kinds of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The text ends before its value does.
    case unexpectedEnd
    /// A byte is not allowed by the grammar of RFC 8259.
    case unexpectedByte
    /// There are bytes after the value.
    case trailingBytes
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// A number violates the grammar: a leading zero, a missing digit.
    case invalidNumber
    /// A backslash is not followed by an escape of RFC 8259.
    case invalidEscape
    /// An escaped surrogate has no partner.
    case loneSurrogate
    /// The bytes of a string are not UTF-8.
    case invalidUTF8
    /// A string contains an unescaped control character.
    case controlCharacter
    /// An object has two members with the same name.
    case duplicateName
    /// The text exceeds the nesting limit.
    case tooDeep
    /// The text is larger than the supported maximum.
    case tooLarge
    /// A number does not fit the requested type.
    case numberOutOfRange
    /// A value has another kind than the requested type.
    case typeMismatch
    /// A required member or element is missing.
    case missingMember
    /// A string is not in the form of the type: not a date, not base64 and so on.
    case invalidValue
    /// A JSON Pointer violates the grammar of RFC 6901.
    case invalidPointer
    /// A type's own coding violates a rule of the format.
    case invalidEncoding
  }

  /// The kind of failure.
  public var code: Code
  /// A description without the location: one fragment in lower case.
  public var message: String
  /// The offset of the first invalid byte in the text.
  public var byteOffset: Int?
  /// The path of the invalid or incomplete value; `nil` if the error is outside of all members and elements, or not
  /// about a text.
  public var path: JSONPointer?

  /// Creates an error.
  public init(_ code: Code, _ message: String, byteOffset: Int? = nil, path: JSONPointer? = nil) {
    self.code = code
    self.message = message
    self.byteOffset = byteOffset
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// A description such as `two members of an object have the name 'q': byte 24, at /k/y/0/q`. A long path is shortened
  /// in the middle.
  public var description: String {
    var place: [String] = []
    if let byteOffset { place.append("byte \(byteOffset)") }
    if let path { place.append(path.tokens.isEmpty ? "at the root" : "at \(path.excerpt)") }
    return place.isEmpty ? message : message + ": " + place.joined(separator: ", ")
  }
}

/// The reason and location of an error of coding, in one sentence. Other errors are described as they are.
package struct CodingFault: CustomStringConvertible {
  package let description: String

  /// The message of a compiler-generated enum decoding for an object that does not have exactly one of its cases.
  static let unknownCase = "Invalid number of keys found, expected one."

  /// Whether the error is only an unknown case, which a message about the action's type has already reported.
  package static func namesUnknownCase(_ error: any Error) -> Bool {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      context.debugDescription == unknownCase
    default: false
    }
  }

  package init(_ error: any Error) {
    description =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        Self.place(context.codingPath) + "'\(JSONPointer.excerpt(of: key.stringValue))' is missing"
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        Self.place(context.codingPath)
          + (context.debugDescription == Self.unknownCase ? "no case has that name" : context.debugDescription)
      case EncodingError.invalidValue(_, let context):
        Self.place(context.codingPath)
          + (context.underlyingError.map { error in "\(error)" } ?? context.debugDescription)
      default: "\(error)"
      }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "" }
    return "at " + JSONPointer.excerpt(of: path.map(\.stringValue).joined(separator: ".")) + ": "
  }
}
