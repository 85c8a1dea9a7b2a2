import BenchmarkKit

/// Times an operation on a collection as the collection grows.
enum GuideCurveSampling<Table: GuideCollection> {
  /// Samples at each size.
  private static var samples: Int { 15 }

  /// A sample is repeated until it takes about so long, so that the clock's own time does not count.
  private static var sampleNanoseconds: Double { 50_000 }

  /// The nanoseconds of an operation at each number of elements.
  static func curve(_ operation: GuideOperation, upTo largest: Int) -> GuideCurve {
    let all = GuideElement.elements(largest + 1)
    let sizes = Array(sequence(first: 1) { size in size < largest ? size * 2 : nil })
    let nanoseconds = sizes.map { size in
      measure(operation, Table(Array(all.prefix(size))), all[size], count: Int64(size))
    }
    return GuideCurve(
      operation: operation.rawValue, collection: Table.name, elements: sizes, nanoseconds: nanoseconds)
  }

  private static func measure(
    _ operation: GuideOperation, _ table: Table, _ spare: GuideElement, count: Int64
  ) -> Double {
    var hash: UInt64 = 0
    func once() {
      switch operation.change {
      case .insert: restore(opaque(table).setting(spare, for: count), to: nil, for: count)
      case .update: hash &+= UInt64(opaque(table).setting(spare, for: 0).count) + 1
      case .delete: restore(opaque(table).setting(nil, for: 0), to: spare, for: 0)
      case nil: hash &+= UInt64(bitPattern: opaque(table).element(opaque(0))?.a ?? 0) | 1
      }
    }
    /// In-place changes are undone, which costs the reference the same again: its curve is an upper bound.
    func restore(_ result: Table, to element: GuideElement?, for key: Int64) {
      hash &+= UInt64(result.count) + 1
      if Table.isReference { _ = result.setting(element, for: key) }
    }
    let clock = ContinuousClock()
    var repetitions = 1
    while clock.measure({ for _ in 0..<repetitions { once() } }).nanoseconds < sampleNanoseconds, repetitions < 1 << 16
    {
      repetitions *= 2
    }
    let times = (0..<samples).map { _ in
      clock.measure { for _ in 0..<repetitions { once() } }.nanoseconds / Double(repetitions)
    }
    precondition(hash > 0, "the table was not used")
    return times.median
  }
}

/// Folds inserts through a reducer that returns the next state, while the caller holds the one before.
enum GuideFoldSampling<Table: GuideCollection> {
  /// The median of some folds of so many inserts; of one where it takes seconds.
  static func fold(_ inserts: Int) -> GuideFold {
    let elements = GuideElement.elements(inserts)
    let reducer: @Sendable (Table, (Int64, GuideElement)) throws -> Table = { state, action in
      state.setting(action.1, for: action.0)
    }
    let clock = ContinuousClock()
    let times = (0..<(inserts > 20_000 ? 1 : 3)).map { _ in
      var state = Table([])
      let time = clock.measure {
        for (key, element) in elements.enumerated() {
          // No reducer of these throws.
          if let next = try? opaque(reducer)(state, (Int64(key), element)) { state = next }
        }
      }
      precondition(state.count == inserts, "inserts were lost")
      return time.nanoseconds
    }
    return GuideFold(collection: Table.name, inserts: inserts, nanoseconds: times.median)
  }

  /// The same inserts into a table that is changed in place.
  static func inPlace(_ inserts: Int) -> GuideFold {
    var fold = GuideFoldSampling<ReferenceTable>.fold(inserts)
    fold.collection = "in place"
    return fold
  }
}
