/// An incremental decoder of the bytes that a terminal sends.
///
/// A sequence may be split anywhere: incomplete sequences are buffered. An Escape byte is either the Escape key or the
/// beginning of a sequence, which only a timeout can decide: wait for more bytes for at most ``timeout``, then call
/// ``flush()``. Unknown sequences are skipped, and invalid UTF-8 becomes U+FFFD.
///
/// - SeeAlso: ECMA-48; "XTerm Control Sequences".
package struct KeyDecoder: Sendable {
  private var pending: [UInt8] = []
  /// The text of an incomplete paste; `nil` outside a paste.
  private var paste: [UInt8]?

  /// The longest sequence. No key sends more bytes.
  private static let sequenceLimitBytes = 64
  /// The longest paste. A longer one is split between characters.
  private static let pasteLimitBytes = 1 << 20
  /// The longest encoding of a character in UTF-8.
  private static let characterLimitBytes = 4
  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  package init() {}

  /// The time to wait for the rest of an incomplete sequence before calling ``flush()``; `nil` to wait indefinitely.
  ///
  /// No user presses two keys within 50 ms; a slow line can need longer for the rest of a sequence.
  package var timeout: Duration? {
    guard paste == nil, !pending.isEmpty else { return nil }
    return pending == [Self.escape] ? .milliseconds(50) : .milliseconds(500)
  }

  /// Decodes the bytes of one read.
  package mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    return take(isLast: false)
  }

  /// Decodes the buffered bytes as if they were complete, after the ``timeout``.
  package mutating func flush() -> [Key] {
    guard paste == nil else { return [] }
    return take(isLast: true)
  }

  private mutating func take(isLast: Bool) -> [Key] {
    var rest = pending[...]
    var keys: [Key] = []
    while !rest.isEmpty {
      let before = rest
      if paste != nil {
        guard let key = takePaste(&rest) else { break }
        keys.append(key)
      } else if rest.first == Self.escape {
        guard takeSequence(&rest, isLast: isLast, into: &keys) else {
          rest = before
          break
        }
      } else {
        takeText(&rest, isLast: isLast, into: &keys)
        if rest.count == before.count { break }
      }
    }
    pending = Array(rest)
    return keys
  }
}

// MARK: - Sequences

extension KeyDecoder {
  /// - Returns: Whether the sequence is complete.
  private mutating func takeSequence(
    _ rest: inout ArraySlice<UInt8>, isLast: Bool, into keys: inout [Key]
  ) -> Bool {
    rest = rest.dropFirst()
    guard let introducer = rest.first else {
      if isLast { keys.append(.escape) }
      return isLast
    }
    guard introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else {
      keys.append(.escape)
      return true
    }
    let body = rest.dropFirst()
    // The function keys of the Linux console, which no screen uses, have a second bracket.
    let isConsole = introducer == UInt8(ascii: "[") && body.first == UInt8(ascii: "[")
    let parameters = isConsole ? body.prefix(1) : body.prefix { byte in (0x20...0x3F).contains(byte) }
    if parameters.count > Self.sequenceLimitBytes {
      rest = body.dropFirst(parameters.count)
      return true
    }
    guard let final = body.dropFirst(parameters.count).first else {
      guard isLast else { return false }
      // The user typed Escape and a bracket. With parameters it is a sequence whose end is lost.
      if parameters.isEmpty { keys += [.escape, .character(Character(Unicode.Scalar(introducer)))] }
      rest = body.dropFirst(parameters.count)
      return true
    }
    guard (0x40...0x7E).contains(final) else {
      // The sequence is interrupted by a byte that is not part of any sequence.
      rest = body.dropFirst(parameters.count)
      return true
    }
    rest = body.dropFirst(parameters.count + 1)
    let text = String(decoding: parameters, as: UTF8.self)
    if final == UInt8(ascii: "~"), text == "200" {
      paste = []
    } else if let key = Self.key(final, text) {
      keys.append(key)
    }
    return true
  }

  /// The key of a sequence. Modifiers, which follow the semicolon, are ignored.
  private static func key(_ final: UInt8, _ parameters: String) -> Key? {
    let number = parameters.prefix { character in character != ";" }
    if parameters == "[" { return nil }
    switch Character(Unicode.Scalar(final)) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H": return .home
    case "F": return .end
    case "M" where parameters.isEmpty: return .enter
    case "Z": return .backTab
    case "~": return Int(number).flatMap { number in tildeKeys[number] }
    default: return nil
    }
  }

  private static let tildeKeys: [Int: Key] = [
    1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
  ]
}

// MARK: - Text

extension KeyDecoder {
  private mutating func takePaste(_ rest: inout ArraySlice<UInt8>) -> Key? {
    var gathered = paste ?? []
    // Keeps the array uniquely referenced, so that appending does not copy it.
    paste = []
    while let byte = rest.first {
      if byte == Self.escape {
        let end = rest.prefix(Self.pasteEnd.count)
        if Array(end) == Self.pasteEnd {
          rest = rest.dropFirst(end.count)
          paste = nil
          return Self.paste(gathered)
        }
        if Self.pasteEnd.starts(with: end) { break }
      }
      gathered.append(byte)
      rest = rest.dropFirst()
      if gathered.count >= Self.pasteLimitBytes,
        byte < 0x80 || rest.first.map(Self.isContinuation) == false
          || gathered.count >= Self.pasteLimitBytes + Self.characterLimitBytes
      {
        return Self.paste(gathered)
      }
    }
    paste = gathered
    return nil
  }

  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// With line feeds, because terminals send carriage returns.
  private static func paste(_ bytes: [UInt8]) -> Key {
    let text = String(decoding: bytes, as: UTF8.self)
    return .paste(String(text.map { character in character == "\r" || character == "\r\n" ? "\n" : character }))
  }

  private func takeText(_ rest: inout ArraySlice<UInt8>, isLast: Bool, into keys: inout [Key]) {
    var text = rest.prefix { byte in byte != Self.escape }
    if !isLast, text.endIndex == rest.endIndex { text = text.dropLast(Self.incompleteCount(text)) }
    rest = rest.dropFirst(text.count)
    for character in String(decoding: text, as: UTF8.self) {
      if let key = Self.key(of: character) { keys.append(key) }
    }
  }

  /// The number of bytes at the end that begin an incomplete character.
  private static func incompleteCount(_ text: ArraySlice<UInt8>) -> Int {
    for (index, byte) in text.suffix(3).reversed().enumerated() {
      if byte < 0x80 { return 0 }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      if length > 1 { return length > index + 1 ? index + 1 : 0 }
    }
    return 0
  }

  private static func key(of character: Character) -> Key? {
    switch character {
    case "\r", "\n", "\r\n": return .enter
    case "\t": return .tab
    case "\u{7F}", "\u{8}": return .backspace
    default: break
    }
    guard let scalar = character.unicodeScalars.first, scalar.value < 0xA0 else { return .character(character) }
    switch scalar.value {
    case 0: return .control(" ")
    case 1..<0x1B: return .control(Character(Unicode.Scalar(UInt8(scalar.value) + 0x60)))
    case 0x1B..<0x20: return .control(Character(Unicode.Scalar(UInt8(scalar.value) + 0x40)))
    case 0x80..<0xA0: return nil
    default: return .character(character)
    }
  }
}
