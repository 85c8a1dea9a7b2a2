/// A pattern for action types: `ui.*`, `*.onAppear`, `didFetch*`.
///
/// `*` matches any characters, including dots. A pattern without `*` matches a sequence of complete parts between
/// dots, at any position: `onAppear`, `ui`, `animalList.onAppear`.
package struct ActionTypePattern: Sendable {
  package let text: String
  private let pieces: [[UInt8]]

  /// Creates a pattern. Every text is valid.
  package init(_ text: String) {
    self.text = text
    self.pieces = text.split(separator: "*", omittingEmptySubsequences: false).map { piece in Array(piece.utf8) }
  }

  package func matches(_ type: String) -> Bool {
    guard pieces.count > 1 else { return ".\(type).".utf8.indexOf(Array(".\(text).".utf8)) != nil }
    var rest = Array(type.utf8)[...]
    guard rest.starts(with: pieces[0]) else { return false }
    rest = rest.dropFirst(pieces[0].count)
    for piece in pieces.dropFirst().dropLast() {
      guard let start = rest.indexOf(piece) else { return false }
      rest = rest[(start + piece.count)...]
    }
    let last = pieces[pieces.count - 1]
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}

extension Collection<UInt8> {
  @inlinable package func indexOf(_ run: [UInt8]) -> Index? {
    guard !run.isEmpty else { return startIndex }
    var start = startIndex
    while let candidate = self[start...].firstIndex(of: run[0]) {
      if self[candidate...].starts(with: run) { return candidate }
      start = index(after: candidate)
    }
    return nil
  }
}
