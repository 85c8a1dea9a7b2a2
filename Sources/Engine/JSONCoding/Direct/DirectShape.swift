/// The properties of a type for which its direct code was written. They are compared with the compiled type.
///
/// A new member with a default value would compile without a warning and be lost. Therefore each type is checked once,
/// before any of its values is written or read directly: the names of its stored members, and samples of its values in
/// both tiers. If anything differs, the type uses `Codable`.
public struct DirectShape: Sendable {
  let isCurrent: Bool
  /// A value of the type as JSON text, for the samples of types that contain it; empty if there is none.
  public let sample: String
  let parts: @Sendable () -> [any DirectCodable.Type]

  /// A shape that cannot change.
  init() {
    isCurrent = true
    sample = ""
    parts = { [] }
  }

  /// The shape of a collection.
  init(parts: @escaping @Sendable () -> [any DirectCodable.Type]) {
    isCurrent = true
    sample = ""
    self.parts = parts
  }

  /// Checks a type whose code was generated or written by hand.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - members: The names of its stored members, in order; `nil` for an enum, whose cases the compiler checks.
  ///   - samples: Values of the type as ``StrictJSONEncoder`` writes them, each with another set of members or
  ///     another case. At least one is needed: a type without samples cannot be checked, and neither can the types
  ///     that contain it.
  ///   - parts: The types of its members that are also coded directly.
  /// - Complexity: O(size of the samples), in the slower of the two tiers.
  public init<Value: DirectCodable>(
    of type: Value.Type, members: [String]?, samples: [String],
    parts: @escaping @Sendable () -> [any DirectCodable.Type]
  ) {
    isCurrent =
      !samples.isEmpty
      && samples.allSatisfy { sample in DirectSample(type, text: Array(sample.utf8)).isRight(members: members) }
    sample = samples.first ?? ""
    self.parts = parts
  }
}

extension DirectShape {
  /// A part whose type is coded directly, possibly only since the code of the containing type was generated.
  public static func part<Value: DirectCodable>(_ type: Value.Type) -> [any DirectCodable.Type] { [type] }

  /// A part that uses `Codable`.
  public static func part<Value>(_ type: Value.Type) -> [any DirectCodable.Type] { [] }
}

extension DirectShape {
  /// Whether the generated code of a type and of all its parts matches the compiled types.
  package static func isCurrent(_ type: any DirectCodable.Type) -> Bool {
    staleTypes(in: type).isEmpty
  }

  /// The names of the types whose generated code does not match the compiled type.
  package static func staleTypes(in type: any DirectCodable.Type) -> [String] {
    var stale: [String] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(type)]
    var open: [any DirectCodable.Type] = [type]
    while let type = open.popLast() {
      let shape = type.directShape
      if !shape.isCurrent { stale.append(String(reflecting: type)) }
      for part in shape.parts() where seen.insert(ObjectIdentifier(part)).inserted { open.append(part) }
    }
    return stale
  }
}

/// A sample value of a type with direct code, as text, to be coded in both tiers.
struct DirectSample<Value: DirectCodable> {
  private let text: [UInt8]

  init(_ type: Value.Type, text: [UInt8]) {
    self.text = text
  }

  /// Whether both tiers read the text as the same value and write it in the same bytes, in both forms.
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
    let (path, data) = try StrictJSONEncoder().withEncoded(value) { bytes, cases in
      let cases = Array(cases)
      return (cases.map(\.name).joined(separator: "."), cases.last.map { Array(bytes[$0.content]) })
    }
    var writer = DirectWriter()
    action.writeType(directly: &writer)
    // Generated code leaves such an action to `Codable`.
    if writer.isDeclined { return true }
    guard let data, writer.bytes == Array(path.utf8) else { return false }
    writer.truncate(to: 0)
    action.writeData(directly: &writer)
    return writer.isDeclined || writer.bytes == data
  }

  private static func write(_ value: Value, _ form: JSONForm) -> [UInt8]? {
    var writer = DirectWriter(form: form)
    value.write(directly: &writer)
    return writer.isDeclined ? nil : writer.bytes
  }
}

/// A cache of recently read strings. A log contains the same identifiers in line after line, and creating a string on
/// the heap costs more than finding it here (benchmark `decode line, direct`).
///
/// It affects only time and memory: a cached string has exactly the bytes of the text. The cache is bounded to 256
/// strings of at most 40 bytes; a new string replaces another one. One reader uses it at a time.
public final class DirectStrings: @unchecked Sendable {
  // It may be sent between threads: the memory belongs to the object, `slots` is constant, and only copies of strings
  // leave it. It must not be shared: its user guarantees that one reader uses it at a time. In this package, these
  // users are `ActionSink`, which holds a lock, and `StateCoder`, which creates one for each call.
  @usableFromInline let slots: UnsafeMutablePointer<Slot>

  /// A string of plain ASCII, and its bytes in overlapping words.
  @usableFromInline
  struct Slot {
    /// The first 16 bytes; a shorter string is padded with zeros.
    var key: (UInt64, UInt64) = (0, 0)
    /// The words at 16 and 24 (at most up to the last one) and the last word of a string of at least 16 bytes.
    var rest: (UInt64, UInt64, UInt64) = (0, 0, 0)
    var count = 0
    var string = ""
  }

  /// 256 slots of a cache line each: half of the first-level cache.
  private static let slotCount = 256

  /// 40 bytes: the reach of five words. A UUID has 36.
  static let limitBytes = 40

  /// Creates a cache that contains only the empty string.
  public init() {
    slots = .allocate(capacity: DirectStrings.slotCount)
    slots.initialize(repeating: Slot(), count: DirectStrings.slotCount)
  }

  deinit {
    slots.deinitialize(count: DirectStrings.slotCount)
    slots.deallocate()
  }
}

extension DirectStrings {
  @inline(__always)
  static func slot(_ key: (UInt64, UInt64), _ slots: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Slot> {
    let mixed = (key.0 ^ key.1 &* 0x9E37_79B9_7F4A_7C15) &* 0xC2B2_AE3D_27D4_EB4F
    // The highest eight bits depend on all others.
    return slots + Int(truncatingIfNeeded: mixed >> 56)
  }
}

extension DirectStrings.Slot {
  /// Whether the bytes at an address are those of the string, which has at least 16, followed by a quote. The key was
  /// compared before.
  @inline(__always)
  func stands(at start: UnsafePointer<UInt8>, _ left: Int) -> Bool {
    guard count >= 16, count < left, start[count] == UInt8(ascii: "\"") else { return false }
    return DirectStrings.Slot.rest(of: start, count) == rest
  }

  /// Returns the words after the key of a string of at least 16 bytes.
  @inline(__always)
  static func rest(of start: UnsafePointer<UInt8>, _ count: Int) -> (UInt64, UInt64, UInt64) {
    let bytes = UnsafeRawPointer(start)
    let last = count &- 8
    return (
      bytes.loadUnaligned(fromByteOffset: min(16, last), as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: min(24, last), as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    )
  }
}
