/// The enum cases in which an encoded value is nested, from the outside in. It is valid as long as the bytes are.
package struct EncodedCases: Sequence, IteratorProtocol {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The names, of which only the lengths count: each step's object has one member.
  private let names: [EncodingMember]
  private var index = 0
  private var value: Range<Int>

  init(bytes: UnsafeBufferPointer<UInt8>, names: [EncodingMember]) {
    self.bytes = bytes
    self.names = names
    value = 0..<bytes.count
  }

  package struct Element {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let token: JSONToken
    /// The range of the object after the name.
    package let content: Range<Int>

    fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>, _ token: JSONToken, _ content: Range<Int>) {
      self.bytes = bytes
      self.token = token
      self.content = content
    }

    /// The name's bytes, if they are written without escapes.
    package var plainName: UnsafeBufferPointer<UInt8>? {
      guard token.kind == .string else { return nil }
      return UnsafeBufferPointer(rebasing: bytes[token.start + 1..<token.start + token.value - 1])
    }

    package var name: String {
      // There is a name, so the buffer is not empty.
      JSONStrings.string(token, bytes.baseAddress.unsafelyUnwrapped)
    }
  }

  package mutating func next() -> Element? {
    guard index < names.count else { return nil }
    let (length, isEscaped) = (names[index].nameLength, names[index].nameIsEscaped)
    index += 1
    let name = value.lowerBound + 1..<value.lowerBound + 1 + length
    let token = JSONToken(isEscaped ? .escapedString : .string, start: name.lowerBound, value: length)
    let content = name.upperBound + 1..<value.upperBound - 1
    // If there is another step, the content of this one is `{"_0":VALUE}`.
    if index < names.count { value = content.lowerBound + 6..<content.upperBound - 1 }
    return Element(bytes, token, content)
  }
}
