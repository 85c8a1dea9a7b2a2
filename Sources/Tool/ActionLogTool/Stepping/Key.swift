/// A key of the keyboard, as a terminal sends it.
enum Key: Equatable, Sendable {
  case character(Character)
  case enter, escape, backspace
  case up, down, left, right
  case pageUp, pageDown, home, end

  /// Reads the keys in what one reading of the terminal gave. Sequences that are not known are passed over.
  ///
  /// - Complexity: O(count of bytes).
  static func keys(in bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let first = rest.first {
      if first == 0x1B {
        rest = rest.dropFirst()
        if let key = takeSequence(&rest) { keys.append(key) }
        continue
      }
      keys += takeText(&rest)
    }
    return keys
  }

  /// What follows an escape: nothing (the key itself), or a control sequence such as `[A` or `[5~`.
  private static func takeSequence(_ rest: inout ArraySlice<UInt8>) -> Key? {
    guard let introducer = rest.first, introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else {
      return .escape
    }
    rest = rest.dropFirst()
    let parameters = rest.prefix { byte in (0x30...0x3F).contains(byte) }
    rest = rest.dropFirst(parameters.count)
    guard let final = rest.popFirst() else { return nil }
    switch (final, String(decoding: parameters, as: UTF8.self)) {
    case (UInt8(ascii: "A"), _): return .up
    case (UInt8(ascii: "B"), _): return .down
    case (UInt8(ascii: "C"), _): return .right
    case (UInt8(ascii: "D"), _): return .left
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): return .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): return .end
    case (UInt8(ascii: "~"), "5"): return .pageUp
    case (UInt8(ascii: "~"), "6"): return .pageDown
    default: return nil
    }
  }

  private static func takeText(_ rest: inout ArraySlice<UInt8>) -> [Key] {
    let text = rest.prefix { byte in byte != 0x1B }
    rest = rest.dropFirst(text.count)
    return String(decoding: text, as: UTF8.self).map { character in
      switch character {
      case "\r", "\n", "\r\n": .enter
      case "\u{7F}", "\u{8}": .backspace
      default: .character(character)
      }
    }
  }
}
