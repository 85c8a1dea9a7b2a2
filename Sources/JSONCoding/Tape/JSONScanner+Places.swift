// Where an error of the grammar lies is found when there is one, from the tokens of what came before it: a scan that finds none pays
// nothing for it.

extension JSONScanner {
  /// An error of a scan with the place of the value that it lies in, unless that is the value of the whole text.
  @inline(never)
  func placed(_ error: JSONError) -> JSONError {
    guard error.path == nil, let byte = error.byteOffset, error.isOfAPlace else { return error }
    var names: [String] = []
    var container = 0
    let tokens = memory.tokens
    // A container is open as long as its second token does not know where it ends.
    while container < tokens.count, tokens[container].isContainer, tokens[container + 1].start == 0 {
      guard let (name, value) = lastPart(of: container, byte, isDuplicate: error.code == .duplicateName) else { break }
      names.append(name)
      container = value
    }
    var error = error
    if !names.isEmpty { error.path = JSONPointer(names) }
    return error
  }

  /// The name or number and the token of the member or element of an open container that a byte lies in.
  ///
  /// - Returns: `nil` if the byte lies in none: it is part of a name or stands between two values.
  private func lastPart(of container: Int, _ byte: Int, isDuplicate: Bool) -> (name: String, value: Int)? {
    let tokens = memory.tokens
    let isObject = tokens[container].kind == .object
    var (index, position, end) = (container + 2, 0, tokens[container].start + 1)
    while index < tokens.count {
      let value = isObject ? index + 1 : index
      // Where a name stands alone, what is wrong is its value.
      let isLast = value == tokens.count || (tokens[value].isContainer && tokens[value + 1].start == 0)
      if isLast || (isDuplicate && tokens[index].start == byte) {
        let name = isObject ? JSONStrings.string(tokens[index], base) : String(position)
        return (name, isLast ? value : tokens.count)
      }
      let token = tokens[value]
      end = token.isContainer ? tokens[value + 1].start : token.start + token.value
      index = token.isContainer ? token.value : value + 1
      position += 1
    }
    // An element begins behind a comma, and the first one behind the bracket.
    let isElement = position == 0 || base[min(end, byte)..<byte].contains(UInt8(ascii: ","))
    return isObject || !isElement ? nil : (String(position), tokens.count)
  }
}

extension UnsafePointer<UInt8> {
  fileprivate subscript(range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: self + range.lowerBound, count: range.count)
  }
}

extension JSONError {
  /// Whether it lies in a value, and is not one of the text as a whole.
  var isOfAPlace: Bool {
    switch code {
    case .trailingBytes, .byteOrderMark, .tooLarge: false
    default: true
    }
  }
}
