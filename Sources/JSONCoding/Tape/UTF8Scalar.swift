/// The well-formed byte sequences of scalars beyond ASCII, by table 3-7 of the Unicode standard.
enum UTF8Scalar {
  /// How many bytes the scalar has that begins at an address; 0 when none does.
  ///
  /// - Parameter limit: How many bytes may be looked at, at least 1.
  static func size(at start: UnsafeRawPointer, limit: Int) -> Int {
    func byte(_ index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }
    let size: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch byte(0) {
    case 0xC2...0xDF: size = 2
    case 0xE0: (size, second) = (3, 0xA0...0xBF)
    case 0xED: (size, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: size = 3
    case 0xF0: (size, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: size = 4
    case 0xF4: (size, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard size <= limit, second.contains(byte(1)) else { return 0 }
    if size > 2, byte(2) & 0xC0 != 0x80 { return 0 }
    if size > 3, byte(3) & 0xC0 != 0x80 { return 0 }
    return size
  }
}
