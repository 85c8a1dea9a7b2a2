/// A value of a type with generated code, as text, to be coded in both tiers.
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
    } catch {
      // A sample that the type itself does not take any more.
      return false
    }
  }

  /// Whether generated code reads bytes as the value that it writes in canonical form so.
  private func isRead(_ form: JSONForm, _ bytes: [UInt8], as canonical: [UInt8]) -> Bool {
    let read: Value? = bytes.withUnsafeBytes { bytes in
      DirectReader.read(bytes, form: form) { reader throws(DirectMismatch) in try reader.value() }
    }
    guard let read else { return false }
    return DirectSample.write(read, .canonical) == canonical
  }

  private static func write(_ value: Value, _ form: JSONForm) -> [UInt8]? {
    var writer = DirectWriter(form: form)
    value.write(directly: &writer)
    return writer.isDeclined ? nil : writer.bytes
  }
}
