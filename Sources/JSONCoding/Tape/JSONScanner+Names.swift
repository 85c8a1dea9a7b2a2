extension JSONScanner {
  /// Up to so many members, comparing all pairs costs less than sorting.
  private static let pairwiseLimit = 12
  /// How much of a name is quoted: what a person reads of it.
  private static let quotedScalars = 100

  /// Refuses an object with two members of the same name.
  ///
  /// Names in strictly ascending order, as dictionaries and the canonical form write them, are settled by comparing
  /// neighbours. Sorting, not hashing, decides the rest: no input makes it slow.
  mutating func checkNames(of object: Int, _ tokens: RawStack<JSONToken>) throws(JSONError) {
    memory.names.truncate(to: 0)
    var ascends = true
    var index = object &+ 2
    var last = name(tokens[index])
    memory.names.append(last)
    index = JSONScanner.next(after: index &+ 1, tokens)
    while index < tokens.count {
      let name = name(tokens[index])
      if ascends { ascends = last.prefix < name.prefix || (last.prefix == name.prefix && order(last, name) < 0) }
      memory.names.append(name)
      last = name
      index = JSONScanner.next(after: index &+ 1, tokens)
    }
    if ascends { return }
    if memory.names.count <= JSONScanner.pairwiseLimit {
      try checkPairs()
    } else {
      try checkSorted()
    }
  }

  @inline(__always)
  private static func next(after value: Int, _ tokens: RawStack<JSONToken>) -> Int {
    let token = tokens[value]
    return token.isContainer ? token.value : value &+ 1
  }

  @inline(__always)
  private func name(_ token: JSONToken) -> ScannedName {
    let start = token.start &+ 1
    if token.kind == .string {
      let prefix = ByteWord.prefix(base + start, count: token.value &- 2, limit: count &- start)
      return ScannedName(prefix: prefix, token: token)
    }
    return escapedName(token)
  }

  private func escapedName(_ token: JSONToken) -> ScannedName {
    let bytes = JSONStrings.bytes(token, base)
    let prefix = bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { ByteWord.prefix($0, count: bytes.count, limit: bytes.count) } ?? 0
    }
    return ScannedName(prefix: prefix, token: token)
  }

  private func checkPairs() throws(JSONError) {
    let names = memory.names
    for index in 1..<names.count {
      let name = names[index]
      for earlier in 0..<index where names[earlier].prefix == name.prefix {
        if order(names[earlier], name) == 0 { throw duplicateName(name.token) }
      }
    }
  }

  private func checkSorted() throws(JSONError) {
    let sorted = memory.names.elements.sorted { left, right in
      let order = left.prefix == right.prefix ? self.order(left, right) : left.prefix < right.prefix ? -1 : 1
      return order == 0 ? left.token.start < right.token.start : order < 0
    }
    var duplicate: JSONToken?
    for (left, right) in zip(sorted, sorted.dropFirst()) where left.prefix == right.prefix && order(left, right) == 0 {
      if right.token.start < duplicate?.start ?? count { duplicate = right.token }
    }
    if let duplicate { throw duplicateName(duplicate) }
  }

  func duplicateName(_ token: JSONToken) -> JSONError {
    // A name can be as long as the text, and messages are kept.
    let name = JSONStrings.string(token, base)
    let start = String(String.UnicodeScalarView(name.unicodeScalars.prefix(JSONScanner.quotedScalars)))
    let quoted = start.utf8.count == name.utf8.count ? "the name '\(name)'" : "a name that begins with '\(start)'"
    return JSONError(.duplicateName, "two members of an object have \(quoted)", byteOffset: token.start)
  }

  /// Compares the unescaped bytes of two names.
  private func order(_ left: ScannedName, _ right: ScannedName) -> Int {
    JSONStrings.order(left.token, right.token, base)
  }
}
