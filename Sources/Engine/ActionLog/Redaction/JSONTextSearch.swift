internal import JSONCoding

/// A search for texts in lines of JSON, as they are written there.
package struct JSONTextSearch: Sendable {
  /// Shorter texts occur by chance.
  package static let shortestBytes = 4

  /// The texts in JSON, without quotes.
  package let texts: [[UInt8]]

  /// Creates a search; texts of less than ``shortestBytes`` are passed over.
  package init(_ texts: [String]) {
    self.texts = texts.filter { text in text.utf8.count >= JSONTextSearch.shortestBytes }.map { text in
      var json: [UInt8] = []
      JSONText.appendString(text, to: &json)
      return Array(json.dropFirst().dropLast())
    }
  }

  package func isFound(in line: ArraySlice<UInt8>) -> Bool {
    texts.contains { text in Self.contains(text, in: line) }
  }

  package static func contains(_ text: [UInt8], in bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, text.count <= bytes.count else { return text.isEmpty }
    return bytes.withUnsafeBytes { bytes in
      var start = 0
      while let found = ByteSearch.first(first, in: bytes, from: start), found + text.count <= bytes.count {
        if bytes[found..<found + text.count].elementsEqual(text) { return true }
        start = found + 1
      }
      return false
    }
  }
}
