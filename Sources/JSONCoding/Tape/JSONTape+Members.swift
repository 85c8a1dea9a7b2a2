extension JSONTape {
  /// Checks a text as strictly as ``init(parsing:maximumDepth:)``, and keeps certain members of its object only.
  ///
  /// A tape of the densest text takes four times the text. Who wants a member or two of a text from elsewhere does not want to pay
  /// for all that may stand beside them: here memory is that of the names of the objects that are open, eight bytes each.
  ///
  /// The members are those of the object that the text is. Of a value, the tape knows what it is and where it stands; objects and
  /// arrays show nothing of what is in them. How many members the object has is known; if the text is an array, it shows no element.
  ///
  /// - Parameters:
  ///   - bytes: The text, at most 1 GiB. It is not copied.
  ///   - names: The names of the members, a few.
  ///   - maximumDepth: How many objects and arrays may lie within each other; at most ``depthLimit``.
  /// - Throws: ``JSONError``, the same as without names.
  /// - Complexity: As for a whole tape, and O(number of names) for each member.
  package init(
    parsing bytes: ArraySlice<UInt8>, keeping names: [StaticString], maximumDepth: Int = defaultMaximumDepth
  ) throws(JSONError) {
    self.bytes = bytes
    (tokens, depth) = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
      try ScannerScratch.withScanner(buffer, maximumDepth: maximumDepth) { (scanner) throws(JSONError) in
        var members: [JSONToken] = []
        var count = 0
        let base = scanner.base
        do throws(JSONError) {
          let (root, end) = try scanner.skim { name, value, end in
            count += 1
            guard names.contains(where: { wanted in JSONStrings.equals(name, base, wanted.bytes) }) else { return }
            members.append(name)
            // Behind the two tokens of the root, and its own two if it has two.
            members += JSONTape.tokens(value, end, next: members.count + 4)
          }
          var tokens = JSONTape.tokens(root, end, count: count, next: members.count + 2)
          tokens += members
          return (tokens, scanner.deepest)
        } catch {
          throw scanner.placedWhileSkimming(error)
        }
      }
    }
  }

  /// The tokens of a value without what is in it.
  ///
  /// - Parameters:
  ///   - count: How many members it shows to have.
  ///   - next: The index of the token behind those of the value, if it is an object or an array.
  private static func tokens(_ value: JSONToken, _ end: Int, count: Int = 0, next: Int) -> [JSONToken] {
    guard value.isContainer else { return [value] }
    return [
      JSONToken(value.kind, start: value.start, value: next), JSONToken(.span, start: end, value: count),
    ]
  }

  /// Checks a text and hands out the members of its object one after the other, keeping none.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - maximumDepth: How many objects and arrays may lie within each other; at most ``depthLimit``.
  ///   - body: Is called with each member, before it is known whether what follows it is JSON.
  /// - Throws: ``JSONError``, as for a tape.
  /// - Complexity: As for a tape; memory is that of the names of the objects that are open, eight bytes each.
  package static func forEachMember(
    of bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = defaultMaximumDepth, _ body: (SkimmedMember) -> Void
  ) throws(JSONError) {
    try ScannerScratch.withScanner(bytes, maximumDepth: maximumDepth) { (scanner) throws(JSONError) in
      let base = scanner.base
      do throws(JSONError) {
        _ = try scanner.skim { name, value, end in
          body(SkimmedMember(name: name, value: value, end: end, base: base))
        }
      } catch {
        throw scanner.placedWhileSkimming(error)
      }
    }
  }
}

/// A member of an object that is being skimmed; good only during the call that hands it out.
package struct SkimmedMember {
  let name: JSONToken
  let value: JSONToken
  let end: Int
  let base: UnsafePointer<UInt8>

  /// Where the name stands in the text, quotes included.
  package var nameRange: Range<Int> { name.start..<name.start + name.value }

  /// Where the value stands in the text, quotes and brackets included.
  package var valueRange: Range<Int> { value.start..<end }

  /// Whether the name is this one, however it is written.
  package func isNamed(_ wanted: StaticString) -> Bool { JSONStrings.equals(name, base, wanted.bytes) }

  /// The value as an `Int`, `1.0` and `1e2` included, or `nil` if it is not exactly one.
  package func int() -> Int? {
    guard value.kind == .integer || value.kind == .decimal else { return nil }
    return JSONDecimal(UnsafeBufferPointer(start: base + value.start, count: value.value)).integer(Int.self)
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
