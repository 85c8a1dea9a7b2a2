// What a scan that keeps nothing does otherwise: on its stack lie only open objects and arrays, and behind each object its names,
// the last of which may still be without a value.

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

  /// Refuses an object with two members of the same name.
  ///
  /// The names lie side by side and are about to be forgotten, so that they are sorted where they lie.
  ///
  /// - Complexity: O(*m* log *m*) for *m* names that do not ascend; memory for half as many tokens.
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

  /// An error of a scan that keeps nothing, with the place that ``placed(_:)`` would have given it.
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

  /// The name or number of the member or element of an open container in which something is wrong; `nil` when it lies in none.
  private func part(
    of container: Int, names: Range<Int>, hasInner: Bool, _ code: JSONError.Code, _ byte: Int
  ) -> String? {
    let tokens = memory.tokens
    let count = tokens[container + 1].value
    guard tokens[container].kind == .object else { return hasInner || isAtElement ? String(count) : nil }
    if !hasInner, code == .duplicateName {
      return names.first { name in tokens[name].start == byte }.map { name in JSONStrings.string(tokens[name], base) }
    }
    // Each name but the last has its value, and that one unless the value is what is wrong.
    return names.count > count ? JSONStrings.string(tokens[names.upperBound - 1], base) : nil
  }

  /// Whether the position is behind the comma or bracket that an element follows.
  private var isAtElement: Bool {
    var index = position - 1
    while index >= 0, [0x20, 0x0A, 0x0D, 0x09].contains(base[index]) { index -= 1 }
    return index >= 0 && (base[index] == UInt8(ascii: ",") || base[index] == UInt8(ascii: "["))
  }
}
