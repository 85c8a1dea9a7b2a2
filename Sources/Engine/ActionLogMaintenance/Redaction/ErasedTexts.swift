package import ActionLog
package import JSONCoding

/// The texts that a redaction erases, and the places that have them in addition to the erased values.
package struct ErasedTexts {
  package struct Places: Sendable {
    package var found: [FoundText] = []
    package var hiddenCount = 0
    /// The number of texts that were not searched.
    package var skippedCount = 0

    package init() {}
  }

  /// A name of a member in the location of an erased value. It stays in the line, and the record states it.
  package struct KeptName {
    package var pointer: JSONPointer
    package var object: JSONPointer
    package var name: String
  }

  private static let (textLimit, placeLimit) = (200, 20)
  private let texts: [String]
  private let outcome: LogRedaction.Outcome

  package init(_ outcome: LogRedaction.Outcome) {
    self.outcome = outcome
    // An equal digest elsewhere is one of a state that the redaction has not changed.
    texts = outcome.removedTexts.map(\.text).filter { text in text != "[redacted]" && !Self.isDigest(text) }.sorted()
  }

  private static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { digit in (0x30...0x39).contains(digit) || (0x61...0x66).contains(digit) }
  }

  // MARK: In the record

  /// Returns what would state an erased text again in the `@redact` record: the reason, the actor, a location or a replacement; `nil` if
  /// nothing would.
  package func repetition(reason: String, actor: String?, targets: [RedactionTarget]) -> String? {
    let phrases = PhraseIndex(texts)
    if phrases.isIn(reason) { return "the reason" }
    if let actor, phrases.isIn(actor) { return "the actor" }
    for replacement in targets.flatMap(\.replacements) {
      if replacement.pointer.tokens.dropFirst().contains(where: phrases.isIn) {
        return "the location \(replacement.pointer.excerpt)"
      }
      if let json = replacement.json,
        RedactedContent.texts(of: json, at: [.root]).map(\.text).contains(where: phrases.isIn)
      {
        return "the replacement of \(replacement.pointer.excerpt)"
      }
    }
    return nil
  }

  /// The names in the locations of values that are keys of a dictionary rather than properties, each once for each object.
  package static func keptNames(in targets: [RedactionTarget]) -> [KeptName] {
    var seen: Set<JSONPointer> = []
    var names: [KeptName] = []
    for pointer in targets.flatMap(\.replacements).map(\.pointer) {
      for (position, token) in pointer.tokens.enumerated().dropFirst()
      where !RedactedContent.isIdentifier(token) && !token.utf8.allSatisfy({ digit in (0x30...0x39).contains(digit) })
        && seen.insert(JSONPointer(Array(pointer.tokens[...position]))).inserted
      {
        names.append(
          KeptName(pointer: pointer, object: JSONPointer(Array(pointer.tokens[..<position])), name: token))
      }
    }
    return names
  }

  // MARK: In the log

  /// Finds the places in the log that still contain an erased text after the redaction: parts of longer texts, other values, and keys of
  /// dictionaries.
  package func places(in reader: LogReader) throws -> Places {
    let wanted = texts.filter { text in text.utf8.count >= JSONTextSearch.shortestBytes }
    guard !wanted.isEmpty else { return Places() }
    // A dry run has not replaced them yet.
    var redacted: [Int?: Set<JSONPointer>] = [:]
    if outcome.index == nil {
      for line in outcome.record.lines { redacted[line.index] = Set(line.replacements.map(\.pointer)) }
      redacted[nil] = Set(outcome.record.base?.replacements.map(\.pointer) ?? [])
    }
    var places = Places()
    places.skippedCount = max(0, wanted.count - Self.textLimit)
    try reader.find(anyOf: Array(wanted.prefix(Self.textLimit))) { found in
      // A name such as `diet` belongs to a type, not to a value.
      if found.isName, found.pointer.tokens.last.map(RedactedContent.isIdentifier) ?? true { return }
      if let pointers = redacted[found.index], found.pointer.isWithin(anyOf: pointers) { return }
      if places.found.count < Self.placeLimit {
        places.found.append(found)
      } else {
        places.hiddenCount += 1
      }
    }
    return places
  }
}

/// Finds phrases in sentences, not as parts of longer words, in a time that does not depend on the number of phrases.
private struct PhraseIndex {
  /// A phrase without and with what precedes its first word.
  private struct Phrase {
    var mark: Substring
    var rest: Substring
  }

  /// Shorter words are in many sentences by chance.
  private static let shortestWord = 3

  private var phrases: [Substring: [Phrase]] = [:]

  init(_ texts: [String]) {
    for text in texts {
      let isNumber = !text.contains(where: \.isLetter)
      guard text.utf8.count >= (isNumber ? JSONTextSearch.shortestBytes : Self.shortestWord),
        let start = text.firstIndex(where: Self.isPart)
      else { continue }
      let rest = text[start...]
      phrases[rest.prefix(while: Self.isPart), default: []].append(Phrase(mark: text[..<start], rest: rest))
    }
  }

  func isIn(_ sentence: String) -> Bool {
    var rest = sentence[...]
    while let start = rest.firstIndex(where: Self.isPart) {
      let word = rest[start...].prefix(while: Self.isPart)
      let isFound = (phrases[word] ?? []).contains { phrase in
        guard sentence[start...].hasPrefix(phrase.rest), sentence[..<start].hasSuffix(phrase.mark) else { return false }
        guard let last = phrase.rest.last, Self.isPart(last) else { return true }
        return !(sentence[start...].dropFirst(phrase.rest.count).first.map(Self.isPart) ?? false)
      }
      if isFound { return true }
      rest = rest[word.endIndex...]
    }
    return false
  }

  private static func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
