/// A part of a text file that a program fills, between `<!-- NAME -->` and `<!-- /NAME -->` on lines of their own.
package struct MarkedRegion: Equatable, Sendable {
  /// The name of the region.
  package var name: String

  /// Names a region.
  package init(_ name: String) {
    self.name = name
  }

  private var begin: String { "<!-- \(name) -->\n" }
  private var end: String { "<!-- /\(name) -->" }

  /// Returns the text of the region; `nil` if there is no such region.
  package func content(of text: String) -> String? {
    bounds(in: text).map { bounds in String(text[bounds]) }
  }

  /// The text with other content in the region; `nil` when the text has none.
  package func replacing(with content: String, in text: String) -> String? {
    bounds(in: text).map { bounds in
      var text = text
      text.replaceSubrange(bounds, with: content.hasSuffix("\n") ? content : content + "\n")
      return text
    }
  }

  private func bounds(in text: String) -> Range<String.Index>? {
    guard let start = text.firstRange(of: begin)?.upperBound,
      let finish = text[start...].firstRange(of: end)?.lowerBound
    else { return nil }
    return start..<finish
  }
}
