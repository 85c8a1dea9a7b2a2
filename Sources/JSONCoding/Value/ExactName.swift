/// A member's name that is equal to another one only if the bytes are.
///
/// Swift compares strings by canonical equivalence; JSON, and this format, compare names by their code points.
struct ExactName: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: ExactName, right: ExactName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    // No UTF-8 text holds this byte: it keeps ["ab", "c"] and ["a", "bc"] apart.
    hasher.combine(0xFF as UInt8)
  }
}
