extension MemoryContents {
  /// The unit that a device writes wholly or not at all.
  private static let sectorBytes = 512

  /// What is sure to be on the device.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  var durableBytes: [UInt8] {
    var generator = SplitMix64(seed: 0)
    return afterCrash(.onlySynchronizedSurvives, &generator).bytes
  }

  /// A state that a power cut could leave.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  func afterCrash(_ model: CrashModel, _ generator: inout SplitMix64) -> MemoryContents {
    let newCount = countAfterCrash(model, &generator)
    var result: [UInt8] = []
    result.reserveCapacity(newCount)
    var index = 0
    while result.count < newCount {
      var page = pageAfterCrash(index, model, &generator)
      // Past the end of the file the system writes zeros, and that is what is found when only the length survived.
      page.resize(to: min(Self.pageBytes, newCount - result.count))
      result += page
      index += 1
    }
    return MemoryContents(durable: result)
  }

  private func countAfterCrash(_ model: CrashModel, _ generator: inout SplitMix64) -> Int {
    guard generator.chance(model.sizeSurvival) else { return durableCount }
    return Bool.random(using: &generator) ? count : Int.random(in: countsSinceSync, using: &generator)
  }

  private func pageAfterCrash(_ index: Int, _ model: CrashModel, _ generator: inout SplitMix64) -> [UInt8] {
    let now = bytes[pageRange(index)]
    guard let page = dirtyPages[index] else { return Array(now) }
    let lost = lostPage(page.durable.bytes(now: now), index, model, &generator)
    guard generator.chance(model.pageSurvival) else { return lost }
    var written = Array(now)
    if generator.chance(model.earlierPageShare), let earlier = page.earlier.randomElement(using: &generator) {
      written = earlier.bytes(now: now)
    }
    guard generator.chance(model.tornPageShare) else { return written }
    let whole = Int.random(in: 0...(Self.pageBytes / Self.sectorBytes), using: &generator) * Self.sectorBytes
    written.resize(to: Self.pageBytes)
    return Array(written[..<whole]) + lost.dropFirst(whole)
  }

  /// What is found in place of a page that did not reach the device: what the device held of it, and beyond that
  /// nothing (zeros, once the file's length is applied) or an old block's bytes.
  private func lostPage(
    _ durable: [UInt8], _ index: Int, _ model: CrashModel, _ generator: inout SplitMix64
  ) -> [UInt8] {
    guard model.lostData == .staleBlocks, durable.isEmpty else { return durable }
    if index > 0, Bool.random(using: &generator) {
      return durablePage(Int.random(in: 0..<index, using: &generator))
    }
    return (0..<Self.pageBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}
