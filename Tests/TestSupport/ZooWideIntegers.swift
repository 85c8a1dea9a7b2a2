/// Integers of 128 bits wherever containers take them.
@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
package struct ZooWideIntegers: Codable, Equatable {
  package var signed: Int128
  package var unsigned: UInt128
  package var optional: Int128?
  package var list: [UInt128?]
  package var table: [String: Int128]
  package var pairs: [Int128: UInt128]

  /// Makes random integers of every length.
  package init(using generator: inout SeededGenerator) {
    signed = Int128(truncatingIfNeeded: generator.wideInteger())
    unsigned = generator.wideInteger()
    optional = generator.optional { Int128(truncatingIfNeeded: $0.wideInteger()) }
    list = generator.array { generator in generator.optional { $0.wideInteger() } }
    table = ["least": .min, "most": .max, "any": Int128(truncatingIfNeeded: generator.wideInteger())]
    pairs = [0: generator.wideInteger(), .min: .max]
  }
}

@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
extension SeededGenerator {
  fileprivate mutating func wideInteger() -> UInt128 {
    let bits = UInt128(next()) << 64 | UInt128(next())
    return bits >> UInt64.random(in: 0...127, using: &self)
  }
}
