extension JSONTape {
  /// Validates a text as strictly as ``init(parsing:maximumDepth:)``, but keeps only certain members of the root object.
  ///
  /// A complete tape can be four times as large as the text. This initializer suits callers that need one or two members of an untrusted
  /// text: it uses eight bytes of memory for each name of the open objects.
  ///
  /// The tape has the kind and the range of each requested member's value, but no children of these values. The root's ``Node/count`` is
  /// the number of all its members. If the root is an array, the tape has no elements.
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
            // After the two tokens of the root, and the value's own second token, if any.
            members += JSONTape.tokens(value, end, next: members.count + 4)
          }
          var tokens = JSONTape.tokens(root, end, count: count, next: members.count + 2)
          tokens += members
          return (tokens, scanner.deepest)
        } catch {
          throw scanner.placed(error, isKept: false)
        }
      }
    }
  }

  /// Returns the tokens of a value without its children.
  private static func tokens(_ value: JSONToken, _ end: Int, count: Int = 0, next: Int) -> [JSONToken] {
    guard value.isContainer else { return [value] }
    return [
      JSONToken(value.kind, start: value.start, value: next), JSONToken(.span, start: end, value: count),
    ]
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

extension JSONTape {
  /// Validates the value at the start of a text without building a tape. Bytes after the value are ignored.
  ///
  /// Most lines of a log are validated but not read further. The memory use is eight bytes for each name of the open objects.
  package static func checkValue(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = defaultMaximumDepth
  ) throws(JSONError) -> (kind: Kind, end: Int) {
    try ScannerScratch.withScanner(bytes, maximumDepth: maximumDepth) { (scanner) throws(JSONError) in
      do throws(JSONError) {
        let token = try scanner.skimValue { _, _, _ in }
        return (token.valueKind, scanner.position)
      } catch {
        throw scanner.placed(error, isKept: false)
      }
    }
  }
}
