/// The header fields of a message, in their order. Names are compared without regard to case.
public struct HTTPHeaders: Hashable, Sendable {
  /// One field.
  public struct Field: Hashable, Sendable {
    /// The name as it was written.
    public let name: String
    /// The value, without spaces around it.
    public let value: String

    /// Makes a field.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields.
  public private(set) var fields: [Field]

  /// Makes headers.
  public init(_ fields: [Field] = []) {
    self.fields = fields
  }

  /// Adds a field.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// The values of all fields with a name, in their order.
  ///
  /// - Complexity: O(number of fields).
  public func values(of name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { field in field.name.lowercased() == name }.map(\.value)
  }

  /// The value of the first field with a name.
  public subscript(_ name: String) -> String? { values(of: name).first }

  /// The elements of the comma-separated lists in all fields with a name, in lower case.
  func tokens(of name: String) -> [String] {
    values(of: name).flatMap { value in value.split(separator: ",") }
      .map { token in token.trimmingOptionalWhitespace().lowercased() }.filter { token in !token.isEmpty }
  }
}

extension StringProtocol {
  /// The text without the spaces and tabs at both ends.
  func trimmingOptionalWhitespace() -> String {
    var rest = self[...]
    while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }
}
