/// A small random generator whose numbers are the same everywhere, for ever.
///
/// The standard library's `random(in:using:)` does not promise that, so the choices are made here as well.
///
/// - SeeAlso: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SplitMix64: Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number from 0 up to, not including, `bound`. The bias of at most `bound` in 2⁶⁴ does not matter here.
  mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// True `count` times in `total`.
  mutating func chance(_ count: Int, in total: Int) -> Bool {
    next(below: total) < count
  }

  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[next(below: elements.count)]
  }
}
