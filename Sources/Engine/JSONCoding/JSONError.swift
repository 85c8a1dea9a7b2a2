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
    /// Something follows the value.
    case trailingBytes
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// A number breaks the grammar: a leading zero, a missing digit.
    case invalidNumber
    /// A backslash is not followed by an escape that RFC 8259 knows.
    case invalidEscape
    /// An escaped surrogate has no partner.
    case loneSurrogate
    /// The bytes of a string are not UTF-8.
    case invalidUTF8
    /// A string contains an unescaped control character.
    case controlCharacter
    /// An object has two members of the same name.
    case duplicateName
    /// The text nests deeper than the reader allows.
    case tooDeep
    /// The text is larger than the reader can address.
    case tooLarge
    /// A number does not fit the requested type.
    case numberOutOfRange
    /// A value has another kind than the requested type.
    case typeMismatch
    /// A member or an element that the type needs is missing.
    case missingMember
    /// A string is not what the type writes: no date, no base64 and so on.
    case invalidValue
    /// A JSON Pointer breaks the grammar of RFC 6901.
    case invalidPointer
    /// A type's own coding breaks a rule of the format.
    case invalidEncoding
  }

  /// The kind of failure.
  public var code: Code
  /// A description without the location: one fragment in lower case.
  public var message: String
  /// The first byte that is wrong, counted from 0 at the first byte of the text.
  public var byteOffset: Int?
  /// The value that is wrong, or that lacks something; `nil` if the text as a whole breaks the grammar outside of all members and
  /// elements, or if the error is not about a text.
  public var path: JSONPointer?

  /// Makes an error from its parts.
  public init(_ code: Code, _ message: String, byteOffset: Int? = nil, path: JSONPointer? = nil) {
    self.code = code
    self.message = message
    self.byteOffset = byteOffset
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// For instance `two members of an object have the name 'q': byte 24, at /k/y/0/q`. The middle of a long path is left out.
  public var description: String {
    var place: [String] = []
    if let byteOffset { place.append("byte \(byteOffset)") }
    if let path { place.append(path.tokens.isEmpty ? "at the root" : "at \(path.excerpt)") }
    return place.isEmpty ? message : message + ": " + place.joined(separator: ", ")
  }
}
