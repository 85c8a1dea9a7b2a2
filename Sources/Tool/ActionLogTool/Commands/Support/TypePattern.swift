/// Which action types are meant: `ui.*`, `*.onAppear`, `didFetch*`.
///
/// `*` stands for any characters, dots too. A pattern without `*` means every type that has it as whole parts between
/// dots, at any place: `onAppear`, `ui`, `animalList.onAppear`.
struct TypePattern: Sendable {
  private let text: String
  private let pieces: [[UInt8]]

  init(_ text: String) {
    self.text = text
    self.pieces = text.split(separator: "*", omittingEmptySubsequences: false).map { piece in Array(piece.utf8) }
  }

  /// - Complexity: O(length of the type × length of the pattern).
  func matches(_ type: String) -> Bool {
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
  /// Where a run of bytes first begins.
  ///
  /// - Complexity: O(count × length of the run).
  func indexOf(_ run: [UInt8]) -> Index? {
    guard !run.isEmpty else { return startIndex }
    var start = startIndex
    while let candidate = self[start...].firstIndex(of: run[0]) {
      if self[candidate...].starts(with: run) { return candidate }
      start = index(after: candidate)
    }
    return nil
  }
}
