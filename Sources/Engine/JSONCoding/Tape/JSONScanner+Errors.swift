// The path of a syntax error is derived from the preceding tokens when the error occurs, so a successful scan has no cost for it.

extension JSONScanner {
  /// Adds the path of the enclosing value to an error of a scan, unless it is the root.
  @inline(never)
  func placed(_ error: JSONError) -> JSONError {
    guard error.path == nil, let byte = error.byteOffset, error.isOfAPlace else { return error }
    var names: [String] = []
    var container = 0
    let tokens = memory.tokens
    // A container is open until the end is set in its second token.
    while container < tokens.count, tokens[container].isContainer, tokens[container + 1].start == 0 {
      guard let (name, value) = lastPart(of: container, byte, isDuplicate: error.code == .duplicateName) else { break }
      names.append(name)
      container = value
    }
    var error = error
    if !names.isEmpty { error.path = JSONPointer(names) }
    return error
  }

  /// Returns the name or index, and the token, of the member or element of an open container that contains a byte.
  ///
  /// - Returns: `nil` if the byte is in a name or between two values.
  private func lastPart(of container: Int, _ byte: Int, isDuplicate: Bool) -> (name: String, value: Int)? {
    let tokens = memory.tokens
    let isObject = tokens[container].kind == .object
    var (index, position, end) = (container + 2, 0, tokens[container].start + 1)
    while index < tokens.count {
      let value = isObject ? index + 1 : index
      // After a name without a value, the error is in the value.
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
    // An element begins after a comma, the first one after the bracket.
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
  ///
  /// - Parameter visit: As for ``skimValue(_:)``.
  /// - Returns: The first token of the value, and its end.
  /// - Complexity: As for ``scan()``.
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
  ///
  /// - Complexity: O(*m* log *m*) for *m* names that are not in ascending order, with memory for half as many tokens.
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

  /// Adds the same path to an error as ``placed(_:)``, for a skimming scan.
  func placedWhileSkimming(_ error: JSONError) -> JSONError {
    guard error.path == nil, let byte = error.byteOffset, error.isOfAPlace else { return error }
    let tokens = memory.tokens
    var parts: [String] = []
    var container = 0
    while container < tokens.count {
      let (first, next) = (container + 2, nextContainer(after: container))
      if let part = part(of: container, names: first..<next, hasInner: next < tokens.count, error.code, byte) {
        parts.append(part)
      }
      container = next
    }
    var error = error
    if !parts.isEmpty { error.path = JSONPointer(parts) }
    return error
  }

  private func nextContainer(after container: Int) -> Int {
    let tokens = memory.tokens
    var next = container + 2
    while next < tokens.count, !tokens[next].isContainer { next += 1 }
    return next
  }

  /// Returns the name or index of the member or element of an open container that contains the error, or `nil` if there is none.
  private func part(
    of container: Int, names: Range<Int>, hasInner: Bool, _ code: JSONError.Code, _ byte: Int
  ) -> String? {
    let tokens = memory.tokens
    let count = tokens[container + 1].value
    guard tokens[container].kind == .object else { return hasInner || isAtElement ? String(count) : nil }
    if !hasInner, code == .duplicateName {
      return names.first { name in tokens[name].start == byte }.map { name in JSONStrings.string(tokens[name], base) }
    }
    // Each name has a value, except for the last one if the error is in its value.
    return names.count > count ? JSONStrings.string(tokens[names.upperBound - 1], base) : nil
  }

  /// Whether the position follows a comma or an opening bracket, where an element begins.
  private var isAtElement: Bool {
    var index = position - 1
    while index >= 0, [0x20, 0x0A, 0x0D, 0x09].contains(base[index]) { index -= 1 }
    return index >= 0 && (base[index] == UInt8(ascii: ",") || base[index] == UInt8(ascii: "["))
  }
}
