/// A small random generator whose numbers are the same everywhere, for ever.
///
/// The standard library's `random(in:using:)` does not promise that, so the choices are made here as well.
///
/// - SeeAlso: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SplitMix64: Sendable {
  private var state: UInt64

  /// Makes a generator; equal seeds give equal numbers.
  package init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number from 0 up to, not including, `bound`. The bias of at most `bound` in 2⁶⁴ does not matter here.
  package mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// True `count` times in `total`.
  package mutating func chance(_ count: Int, in total: Int) -> Bool {
    next(below: total) < count
  }

  /// One of the elements. There must be one.
  package mutating func element<Element>(of elements: [Element]) -> Element {
    elements[next(below: elements.count)]
  }

  /// A version 4 UUID in upper case, as `Foundation.UUID` writes it.
  package mutating func uuidString() -> String {
    let high = next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits: [UInt8] = Array("0123456789ABCDEF".utf8)
    return String(unsafeUninitializedCapacity: 36) { text in
      var position = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          text[position] = UInt8(ascii: "-")
          position += 1
        }
        let half = index < 16 ? high : low
        text[position] = digits[Int(truncatingIfNeeded: half >> (60 - 4 * (index % 16))) & 0xF]
        position += 1
      }
      return position
    }
  }
}
