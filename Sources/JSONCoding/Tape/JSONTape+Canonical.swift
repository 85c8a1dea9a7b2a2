extension JSONTape.Node {
  /// Appends the value with the members of all objects sorted and without white space; scalars keep their bytes.
  ///
  /// - Complexity: O(size log members).
  package func appendCanonical(to output: inout [UInt8]) {
    switch token.kind {
    case .array:
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.appendCanonical(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object:
      let sorted = tape.withBase { base in
        members.sorted { JSONStrings.order($0.name.token, $1.name.token, base) < 0 }
      }
      output.append(UInt8(ascii: "{"))
      for (index, member) in sorted.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        output.append(contentsOf: member.name.bytes)
        output.append(UInt8(ascii: ":"))
        member.value.appendCanonical(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    default: output.append(contentsOf: bytes)
    }
  }
}
