import JSONCoding

/// Any text as JSON.
struct FuzzedJSON {
  let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  func check() throws(FuzzFlaw) {
    try checkCompactObject()
    try checkMembers()
    let tape: JSONTape
    do { tape = try JSONTape(parsing: input) } catch {
      try FuzzFlaw.unless(
        (0...input.count).contains(error.byteOffset ?? 0), "an error at byte \(error.byteOffset ?? 0) of \(input.count)"
      )
      try FuzzFlaw.unless(FuzzFlaw.accepted { try JSONValue(parsing: input) } == nil, "a value of what is no tape")
      return
    }
    let value = try FuzzFlaw.never("no value of a tape") { try JSONValue(parsing: input) }
    let decoded = try FuzzFlaw.never("no decoding of a tape") {
      try StrictJSONDecoder().decode(JSONValue.self, from: input[...])
    }
    try FuzzFlaw.unless(decoded == value, "decoded as another value")
    for form in [JSONForm.declared, .canonical] {
      let written = value.bytes(form)
      let again = try FuzzFlaw.never("written as no JSON") { try JSONValue(parsing: written) }
      try FuzzFlaw.unless(again.bytes(form) == written, "written otherwise the second time")
      let encoded = try FuzzFlaw.never("not encoded") { try StrictJSONEncoder(form: form).encode(value) }
      try FuzzFlaw.unless(encoded == written, "encoded as something else than written")
    }
    try FuzzFlaw.unless(JSONValue(tape.root) == value, "a tape has another value")
  }

  /// Checks that parsing with one kept member finds the same errors and the same member as parsing with all members.
  private func checkMembers() throws(FuzzFlaw) {
    for depth in [2, JSONTape.defaultMaximumDepth] {
      let whole = Result { () throws(JSONError) in try JSONTape(parsing: input, maximumDepth: depth) }
      let part = Result { () throws(JSONError) in
        try JSONTape(parsing: input[...], keeping: ["a", "type"], maximumDepth: depth)
      }
      switch (whole, part) {
      case (.failure(let whole), .failure(let part)):
        try FuzzFlaw.unless(whole == part, "'\(whole)' is '\(part)' where one member is kept")
      case (.success(let whole), .success(let part)):
        let (whole, part) = (whole.root, part.root)
        try FuzzFlaw.unless(
          whole.kind == part.kind && whole.byteRange == part.byteRange
            && part.count == (whole.kind == .object ? whole.count : 0),
          "a value is another one where one member of it is kept")
        for name in ["a", "type"] {
          let (one, other) = (whole[name], part[name])
          try FuzzFlaw.unless(
            one?.kind == other?.kind && one?.byteRange == other?.byteRange && one?.int() == other?.int()
              && one?.string() == other?.string(), "the member '\(name)' is another one where it alone is kept")
        }
      default: throw FuzzFlaw(message: "a look that keeps one member says yes or no where the other does not")
      }
    }
  }

  /// Checks that the fast path accepts only what the tape accepts, and ends at the same byte.
  private func checkCompactObject() throws(FuzzFlaw) {
    for depth in [2, JSONTape.defaultMaximumDepth] {
      let end = input.withUnsafeBytes { bytes in CompactObject.end(of: bytes, from: 0, maximumDepth: depth) }
      guard let end else { continue }
      let checked = input.withUnsafeBufferPointer { bytes in
        FuzzFlaw.accepted { try JSONTape.checkValue(bytes, maximumDepth: depth) }
      }
      try FuzzFlaw.unless(
        checked?.kind == .object && checked?.end == end, "the quick look ends at \(end), the tape does not")
    }
  }
}
