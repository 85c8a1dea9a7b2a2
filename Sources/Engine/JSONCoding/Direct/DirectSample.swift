/// A sample value of a type with direct code, as text, to be coded in both tiers.
struct DirectSample<Value: DirectCodable> {
  private let text: [UInt8]

  init(_ type: Value.Type, text: [UInt8]) {
    self.text = text
  }

  /// Whether both tiers read the text as the same value and write it in the same bytes, in both forms.
  ///
  /// - Parameter members: The names of the stored members of the type, if it is a struct.
  func isRight(members: [String]?) -> Bool {
    do {
      let value = try StrictJSONDecoder().decode(Value.self, from: text)
      if let members, Mirror(reflecting: value).children.map({ $0.label ?? "" }) != members { return false }
      let canonical = try StrictJSONEncoder(form: .canonical).encode(value)
      return try StrictJSONEncoder().encode(value) == text
        && DirectSample.write(value, .declared) == text && DirectSample.write(value, .canonical) == canonical
        && isRead(.declared, text, as: canonical) && isRead(.canonical, canonical, as: canonical)
        && DirectSample.isSplitRight(value)
    } catch {
      // The type itself no longer accepts this sample.
      return false
    }
  }

  /// Whether generated code reads the bytes as the value with this canonical form.
  private func isRead(_ form: JSONForm, _ bytes: [UInt8], as canonical: [UInt8]) -> Bool {
    let read: Value? = bytes.withUnsafeBytes { bytes in
      DirectReader.read(bytes, form: form) { reader throws(DirectMismatch) in try reader.value() }
    }
    guard let read else { return false }
    return DirectSample.write(read, .canonical) == canonical
  }

  /// Whether generated code splits an action into type and data where `Codable` does. A value of another type is not
  /// split.
  private static func isSplitRight(_ value: Value) throws -> Bool {
    guard let action = value as? any DirectAction else { return true }
    let (bytes, cases) = try StrictJSONEncoder().encodeWithCasePath(value)
    var writer = DirectWriter()
    action.writeType(directly: &writer)
    // Generated code leaves such an action to `Codable`.
    if writer.isDeclined { return true }
    guard let last = cases.last, writer.bytes == Array(cases.map(\.key).joined(separator: ".").utf8) else {
      return false
    }
    writer.truncate(to: 0)
    action.writeData(directly: &writer)
    return writer.isDeclined || writer.bytes == Array(bytes[last.content])
  }

  private static func write(_ value: Value, _ form: JSONForm) -> [UInt8]? {
    var writer = DirectWriter(form: form)
    value.write(directly: &writer)
    return writer.isDeclined ? nil : writer.bytes
  }
}
