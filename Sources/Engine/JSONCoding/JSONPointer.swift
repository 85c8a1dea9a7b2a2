/// The location of a value in a JSON text, as in RFC 6901: `/ui/_0/items/3`.
///
/// Two pointers are equal if their bytes are: `é` in two normal forms names two members.
public struct JSONPointer: Sendable {
  /// The names and indices from the root to the location, unescaped; empty for the root.
  public let tokens: [String]

  /// The location of the root value.
  public static let root = JSONPointer([])

  /// Creates a pointer from unescaped tokens.
  public init(_ tokens: [String]) {
    self.tokens = tokens
  }

  /// Returns the location of a member or an element of the value at this location.
  public func appending(_ token: String) -> JSONPointer {
    JSONPointer(tokens + [token])
  }

  /// Returns the location of an element of the value at this location.
  public func appending(_ index: Int) -> JSONPointer {
    appending(String(index))
  }

  /// The location of the containing object or array; `nil` for the root.
  public var parent: JSONPointer? {
    tokens.isEmpty ? nil : JSONPointer(Array(tokens.dropLast()))
  }

  /// Parses a token as the index of an element: digits without a leading zero.
  ///
  /// - Returns: `nil` if the token is not an index, including `-` (the location after the last element).
  public static func index(of token: String) -> Int? {
    let digits = token.utf8
    guard let first = digits.first, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    if first == 0x30, digits.count > 1 { return nil }
    return Int(token)
  }
}

extension JSONPointer {
  /// The pointer for a message: at most ``excerptLimitBytes`` bytes, shortened in the middle.
  package var excerpt: String { Self.excerpt(of: description) }

  /// 100: a nesting of 128 values can have a pointer of two kilobytes, which is not readable in a message.
  package static let excerptLimitBytes = 100

  /// Shortens a text for a message to at most `limitBytes` bytes, in the middle.
  package static func excerpt(of text: String, limitBytes: Int = excerptLimitBytes) -> String {
    guard text.utf8.count > limitBytes else { return text }
    let half = (limitBytes - "…".utf8.count) / 2
    let isContinuation = { (byte: UInt8) in byte & 0xC0 == 0x80 }
    // Drops an incomplete scalar.
    var first = Array(text.utf8.prefix(half + 1))
    while let last = first.popLast(), isContinuation(last) {}
    let second = text.utf8.suffix(half).drop(while: isContinuation)
    return String(decoding: first, as: UTF8.self) + "…" + String(decoding: second, as: UTF8.self)
  }
}

extension JSONPointer: Hashable {
  /// Compares the bytes of the tokens.
  public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    left.tokens.elementsEqual(right.tokens) { $0.utf8.elementsEqual($1.utf8) }
  }

  /// Hashes the bytes of the tokens.
  public func hash(into hasher: inout Hasher) {
    for token in tokens { ExactName(token).hash(into: &hasher) }
  }
}

extension JSONPointer: LosslessStringConvertible {
  /// Parses a pointer in the form of RFC 6901.
  ///
  /// - Returns: `nil` unless the text is empty or begins with `/`, and every `~` begins `~0` or `~1`.
  public init?(_ description: String) {
    guard let tokens = JSONPointer.parse(description) else { return nil }
    self.init(tokens)
  }

  /// Parses a pointer in the form of RFC 6901.
  ///
  /// - Throws: ``JSONError`` with the code ``JSONError/Code/invalidPointer``.
  public init(parsing text: String) throws(JSONError) {
    guard let tokens = JSONPointer.parse(text) else {
      throw JSONError(
        .invalidPointer, "'\(text)' is not a JSON Pointer: it is empty, or begins with '/' and escapes '~' as '~0'")
    }
    self.init(tokens)
  }

  /// The pointer in the form of RFC 6901; the root is empty.
  public var description: String {
    var bytes: [UInt8] = []
    for token in tokens {
      bytes.append(UInt8(ascii: "/"))
      for byte in token.utf8 {
        switch byte {
        case UInt8(ascii: "~"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "0")]
        case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
        default: bytes.append(byte)
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Splits and unescapes bytes: a `Character` would join a `/` to a following combining mark.
  private static func parse(_ text: String) -> [String]? {
    if text.utf8.isEmpty { return [] }
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    var tokens: [String] = []
    for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let token = unescape(part) else { return nil }
      tokens.append(token)
    }
    return tokens
  }

  private static func unescape(_ part: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = part[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
