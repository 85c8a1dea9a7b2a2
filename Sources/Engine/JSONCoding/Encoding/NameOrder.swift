/// The order of the names of an object's members, by their unescaped bytes.
///
/// The names of a dictionary often have a common prefix (`animal-…`): the prefix is skipped, and the eight bytes after
/// it are compared first.
struct NameOrder {
  private let names: UnsafeBufferPointer<EncodingMember>
  private let base: UnsafePointer<UInt8>
  private let common: Int

  /// The index of a name, with the bytes that decide.
  struct Key {
    let word: UInt64
    let index: Int
  }

  init(_ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>) {
    self.names = names
    self.base = base
    common = NameOrder.commonLength(names, base)
  }

  /// Returns the length of the common prefix; 0 if a name contains escapes.
  private static func commonLength(
    _ names: UnsafeBufferPointer<EncodingMember>, _ base: UnsafePointer<UInt8>
  ) -> Int {
    guard let first = names.first, !first.nameIsEscaped else { return 0 }
    var common = first.nameLength - 2
    for name in names {
      if name.nameIsEscaped { return 0 }
      common = min(common, name.nameLength - 2)
      // The first eight bytes of the names are known, and most pairs differ there.
      var length = min(common, (first.prefix ^ name.prefix).leadingZeroBitCount / 8)
      if length == 8 {
        while length < common, base[first.start + 1 + length] == base[name.start + 1 + length] { length += 1 }
      }
      common = length
    }
    return common
  }

  /// Returns the names in order.
  func sorted() -> [Key] {
    var keys: [Key] = []
    keys.reserveCapacity(names.count)
    for index in names.indices { keys.append(Key(word: word(names[index]), index: index)) }
    keys.sort { left, right in left.word == right.word ? compare(left, right) < 0 : left.word < right.word }
    return keys
  }

  /// Returns the later of two members with the same name; `nil` if there are none.
  func duplicate(in order: [Key]) -> EncodingMember? {
    for index in order.indices.dropFirst() {
      let (left, right) = (order[index - 1], order[index])
      if left.word == right.word, compare(left, right) == 0 { return names[max(left.index, right.index)] }
    }
    return nil
  }

  /// Returns the bytes of a member, without the comma after it.
  func part(_ key: Key, end: Int) -> EncodingPart {
    let next = key.index + 1
    return EncodingPart(start: names[key.index].start, end: next < names.count ? names[next].start - 1 : end)
  }

  private func compare(_ left: Key, _ right: Key) -> Int {
    EncodingOrder.compare(names[left.index], names[right.index], base)
  }

  private func word(_ name: EncodingMember) -> UInt64 {
    if common == 0 { return name.prefix }
    let count = name.nameLength - 2 - common
    // A quote, a colon and a value of at least one byte follow each name, so these bytes can be read.
    return ByteWord.prefix(base + name.start + 1 + common, count: count, limit: count + 3)
  }
}
