// The path of a syntax error is derived from the preceding tokens when the error occurs, so a successful scan has no cost for it.

extension JSONScanner {
  /// Adds the path to an error.
  ///
  /// - Parameter isKept: Whether the scan kept the tokens of complete values. A skimming scan kept the names of open objects.
  @inline(never)
  func placed(_ error: JSONError, isKept: Bool = true) -> JSONError {
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
      for _ in 0..<(isKept || isObject ? count : 0) where name == nil {
        if isObject, error.code == .duplicateName, tokens[index].start == byte {
          name = JSONStrings.string(tokens[index], base)
        }
        let value = isObject && isKept ? index + 1 : index
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

// Skimming: a scan that keeps no tokens except those of open containers, each object followed by its names. The last name may not
// have a value yet.

extension JSONScanner {
  /// Skims the whole text.
  mutating func skim(
    _ visit: (_ name: JSONToken, _ value: JSONToken, _ end: Int) -> Void
  ) throws(JSONError) -> (token: JSONToken, end: Int) {
    let token = try skimValue(visit)
    guard isAtEnd else { throw trailingBytes(nextByte) }
    return (token, position)
  }

  /// Rejects an object with duplicate names.
  ///
  /// The names are adjacent and about to be discarded, so they are sorted in place.
  func checkOnlyNames(of object: Int, _ tokens: RawStack<JSONToken>) throws(JSONError) {
    var names = UnsafeMutableBufferPointer(start: tokens.base + object + 2, count: tokens.count - object - 2)
    let ascend = (1..<names.count).allSatisfy { index in JSONStrings.order(names[index - 1], names[index], base) < 0 }
    if ascend { return }
    names.sort { left, right in
      let order = JSONStrings.order(left, right, base)
      return order == 0 ? left.start < right.start : order < 0
    }
    var duplicate: JSONToken?
    for index in 1..<names.count where names[index].start < duplicate?.start ?? count {
      if JSONStrings.order(names[index - 1], names[index], base) == 0 { duplicate = names[index] }
    }
    if let duplicate { throw duplicateName(duplicate) }
  }
}
