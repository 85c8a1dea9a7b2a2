/// One value of a tape in eight bytes: a kind, where it begins, and a number that depends on the kind.
///
/// An object or array is two tokens: the first knows the token after the whole subtree, the second (kind `span`) the end
/// of its bytes and how many members or elements it has. A name is a string token before its value. Eight bytes keep the tape
/// of the densest text, `[0,0,0…`, within four times the text.
struct JSONToken {
  enum Kind: UInt8 {
    case null, `false`, `true`, integer, decimal, string, escapedString, array, object, span
  }

  /// Kind in the low 4 bits, then 30 bits for each number.
  private var bits: UInt64

  /// The largest text that 30 bits address: 1 GiB, the limit of a snapshot.
  static let limit = 1 << 30

  private static let mask: UInt64 = (1 << 30) - 1

  init(_ kind: Kind, start: Int, value: Int) {
    bits = UInt64(kind.rawValue) | UInt64(truncatingIfNeeded: start) << 4 | UInt64(truncatingIfNeeded: value) << 34
  }

  var kind: Kind {
    // Only the initialiser writes the bits. The cases of an enum without payloads are numbered in their order, as the raw
    // values are; a switch over the raw value would cost a call.
    @inline(__always) get { unsafeBitCast(UInt8(truncatingIfNeeded: bits & 15), to: Kind.self) }
  }

  /// The first byte of the value; of a span, the byte after the container.
  var start: Int { Int(truncatingIfNeeded: (bits >> 4) & JSONToken.mask) }

  /// The length in bytes of a scalar, the index after the subtree of a container, the count of a span.
  var value: Int { Int(truncatingIfNeeded: bits >> 34) }

  /// What the value is.
  var valueKind: JSONTape.Kind {
    switch kind {
    case .null: .null
    case .true, .false: .bool
    case .integer, .decimal: .number
    case .string, .escapedString: .string
    case .array: .array
    case .object, .span: .object
    }
  }

  /// Whether the token begins an object or array.
  var isContainer: Bool { kind == .object || kind == .array }

  /// Whether the token is a string of either kind.
  var isString: Bool { kind == .string || kind == .escapedString }

  /// The token with one more in its count.
  mutating func increment() { bits &+= 1 << 34 }
}
