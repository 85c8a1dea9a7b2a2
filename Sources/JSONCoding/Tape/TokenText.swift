/// A checked text and its tokens, lent by whoever owns their memory.
///
/// All indices come from the tokens themselves, of which the tokenizer has made a tree: none lies outside.
struct TokenText {
  let base: UnsafePointer<UInt8>
  /// How many bytes the text has.
  let count: Int
  let tokens: UnsafePointer<JSONToken>

  @inline(__always)
  subscript(index: Int) -> JSONToken { tokens[index] }

  /// The index of the token after a value.
  @inline(__always)
  func next(after index: Int) -> Int {
    let token = tokens[index]
    return token.isContainer ? token.value : index &+ 1
  }

  /// The string of a token.
  func string(_ index: Int) -> String {
    JSONStrings.string(tokens[index], base)
  }

  /// The bytes of a value, quotes and brackets included.
  func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let token = tokens[index]
    let end = token.isContainer ? tokens[index + 1].start : token.start + token.value
    return UnsafeBufferPointer(start: base + token.start, count: end - token.start)
  }
}

extension JSONTape {
  /// Lends the text to a closure.
  @inline(__always)
  func withText<Result>(_ body: (TokenText) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBufferPointer { bytes in
      try tokens.withUnsafeBufferPointer { tokens in
        // A checked text is not empty, and so it has a token: both have addresses.
        try body(
          TokenText(
            base: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count,
            tokens: tokens.baseAddress.unsafelyUnwrapped))
      }
    }
  }
}
