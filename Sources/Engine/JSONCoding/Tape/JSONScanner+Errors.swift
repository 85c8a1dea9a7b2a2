// The path of a syntax error is derived from the preceding tokens when the error occurs, so a successful scan has no cost for it.

extension JSONScanner {
  /// Adds the path to an error.
  @inline(never)
  func placed(_ error: JSONError) -> JSONError {
    guard error.path == nil, let byte = error.byteOffset, error.isOfAPlace else { return error }
    let tokens = memory.tokens
    var names: [String] = []
    var container = 0
    // A container is open until the end is set in its second token.
    while container < tokens.count, tokens[container].isContainer, tokens[container + 1].start == 0 {
      let isObject = tokens[container].kind == .object
      let count = tokens[container + 1].value
      var index = container + 2
      var name: String?
      for _ in 0..<count where name == nil {
        if isObject, error.code == .duplicateName, tokens[index].start == byte {
          name = JSONStrings.string(tokens[index], base)
        }
        let value = isObject ? index + 1 : index
        index = tokens[value].isContainer ? tokens[value].value : value + 1
      }
      if name != nil {
        index = tokens.count
      } else if isObject, index < tokens.count {
        // The error is in the value of this name.
        name = JSONStrings.string(tokens[index], base)
        index += 1
      } else if !isObject, index < tokens.count || isAtElement {
        name = String(count)
      }
      guard let name else { break }
      names.append(name)
      container = index
    }
    var error = error
    if !names.isEmpty { error.path = JSONPointer(names) }
    return error
  }

  /// Whether the position follows a comma or an opening bracket, where an element begins.
  private var isAtElement: Bool {
    var index = position - 1
    while index >= 0, [0x20, 0x0A, 0x0D, 0x09].contains(base[index]) { index -= 1 }
    return index >= 0 && (base[index] == UInt8(ascii: ",") || base[index] == UInt8(ascii: "["))
  }
}

extension JSONError {
  /// Whether the error is located in a value, rather than in the text as a whole.
  var isOfAPlace: Bool {
    switch code {
    case .trailingBytes, .byteOrderMark, .tooLarge: false
    default: true
    }
  }
}
