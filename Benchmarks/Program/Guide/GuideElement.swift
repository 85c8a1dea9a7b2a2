/// The element of the guide's benchmarks: ten `Int64` fields, 80 bytes.
struct GuideElement: Hashable, Codable, Sendable {
  var a, b, c, d, e, f, g, h, i, j: Int64

  /// An element whose fields are drawn.
  init(using generator: inout SplitMix) {
    func draw() -> Int64 { Int64(truncatingIfNeeded: generator.next() >> 1) }
    (a, b, c, d, e) = (draw(), draw(), draw(), draw(), draw())
    (f, g, h, i, j) = (draw(), draw(), draw(), draw(), draw())
  }

  /// So many elements, the same in every process.
  static func elements(_ count: Int) -> [GuideElement] {
    var generator = SplitMix(seed: 1)
    return (0..<count).map { _ in GuideElement(using: &generator) }
  }
}
