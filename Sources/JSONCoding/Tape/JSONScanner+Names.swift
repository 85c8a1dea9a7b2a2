extension JSONScanner {
  /// Up to so many members, comparing all pairs costs less than sorting.
  private static let pairwiseLimit = 12

  /// Refuses an object with two members of the same name.
  ///
  /// Names in strictly ascending order, as dictionaries and the canonical form write them, are settled by comparing
  /// neighbours. Sorting, not hashing, decides the rest: no input makes it slow.
  mutating func checkNames(of object: Int) throws(JSONError) {
    guard tokens[object + 1].value > 1 else { return }
    names.removeAll(keepingCapacity: true)
    var ascends = true
    var index = object + 2
    while index < tokens.count {
      let name = tokens[index]
      if ascends, let last = names.last { ascends = order(last, name) < 0 }
      names.append(name)
      let value = tokens[index + 1]
      index = value.isContainer ? value.value : index + 2
    }
    if ascends { return }
    if names.count <= JSONScanner.pairwiseLimit {
      try checkPairs()
    } else {
      try checkSorted()
    }
  }

  private func checkPairs() throws(JSONError) {
    for index in 1..<names.count {
      for earlier in 0..<index where areEqual(names[earlier], names[index]) {
        throw duplicateName(names[index])
      }
    }
  }

  private mutating func checkSorted() throws(JSONError) {
    let (names, scanner) = (names, self)
    let sorted = names.sorted { left, right in
      let order = scanner.order(left, right)
      return order == 0 ? left.start < right.start : order < 0
    }
    var duplicate: JSONToken?
    for (left, right) in zip(sorted, sorted.dropFirst()) where areEqual(left, right) {
      if right.start < duplicate?.start ?? count { duplicate = right }
    }
    if let duplicate { throw duplicateName(duplicate) }
  }

  private func duplicateName(_ token: JSONToken) -> JSONError {
    let name = JSONStrings.string(token, base)
    return JSONError(.duplicateName, "two members of an object have the name '\(name)'", byteOffset: token.start)
  }

  @inline(__always)
  private func areEqual(_ left: JSONToken, _ right: JSONToken) -> Bool {
    if left.kind == .string, right.kind == .string, left.value != right.value { return false }
    return order(left, right) == 0
  }

  /// Compares the unescaped bytes of two names.
  @inline(__always)
  private func order(_ left: JSONToken, _ right: JSONToken) -> Int {
    JSONStrings.order(left, right, base)
  }
}
