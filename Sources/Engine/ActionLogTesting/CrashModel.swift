import ActionLog
import Platform

/// A model of what a power cut does to unsynced data.
///
/// Each page, entry and file is drawn independently in a fixed order, so that the same seed leaves the same files.
/// Synced data always survives.
public struct CrashModel: Sendable, Equatable {
  /// The content of a page whose data did not reach the device although the file's length did.
  public enum LostData: Sendable {
    /// Zeros, as on file systems that mark new blocks until they are written: ext4, XFS, Btrfs, APFS.
    case zeros
    /// The previous contents of the blocks: noise, or an earlier page of the same file.
    case staleBlocks
  }

  /// The seed of the random draws.
  public var seed: UInt64
  /// The probability that a page written since the last sync is on the device.
  public var pageSurvival: Double
  /// The probability that only the first sectors of a surviving page are there.
  public var tornPageShare: Double
  /// The probability that a surviving page has the content before one of its last writes.
  public var earlierPageShare: Double
  /// The probability that a creation, rename or removal since the last sync of its directory is on the device.
  public var entrySurvival: Double
  /// The probability that a file's length is not the last one synced, but the present one or any between the shortest
  /// and the longest since.
  public var sizeSurvival: Double
  /// The content in place of lost data.
  public var lostData: LostData

  /// Creates a model. Probabilities are 0…1.
  public init(
    seed: UInt64,
    pageSurvival: Double = 0.5,
    tornPageShare: Double = 0.1,
    earlierPageShare: Double = 0.2,
    entrySurvival: Double = 0.5,
    sizeSurvival: Double = 0.8,
    lostData: LostData = .zeros
  ) {
    self.seed = seed
    self.pageSurvival = pageSurvival
    self.tornPageShare = tornPageShare
    self.earlierPageShare = earlierPageShare
    self.entrySurvival = entrySurvival
    self.sizeSurvival = sizeSurvival
    self.lostData = lostData
  }

  /// The device has only what was synced.
  public static let onlySyncedSurvives = CrashModel(seed: 0, pageSurvival: 0, entrySurvival: 0, sizeSurvival: 0)
}

extension MemoryFileSystem {
  /// Returns a file system as a power cut at this moment could leave it, with everything durable and nothing open or
  /// locked.
  public func crash(_ model: CrashModel) -> MemoryFileSystem {
    MemoryFileSystem(volume.withLock { volume in volume.afterCrash(model) })
  }

  /// Returns a file system as another process would find it if this one were killed: nothing is lost, nothing more is
  /// synced, nothing is open or locked.
  public func copy() -> MemoryFileSystem {
    MemoryFileSystem(volume.withLock { volume in volume.afterProcessDeath() })
  }
}

extension MemoryVolume {
  fileprivate func afterProcessDeath() -> MemoryVolume {
    var copy = self
    copy.openCounts = [:]
    copy.locks = []
    copy.counts = OperationCounts()
    copy.collect()
    return copy
  }

  fileprivate func afterCrash(_ model: CrashModel) -> MemoryVolume {
    var generator = SplitMix64(seed: model.seed)
    var result = afterProcessDeath()
    for change in pendingChanges where generator.chance(model.entrySurvival) {
      change.apply(to: &result.directories, \.durableEntries)
    }
    result.pendingChanges = []
    result.directories = result.directories.mapValues { directory in
      MemoryVolume.Directory(entries: directory.durableEntries, durableEntries: directory.durableEntries)
    }
    result.collect()
    for id in result.files.keys.sorted() {
      result.files[id] = result.files[id]?.afterCrash(model, &generator)
    }
    return result
  }
}

extension MemoryContents {
  /// The unit that a device writes atomically.
  private static let sectorBytes = 512

  var durableBytes: [UInt8] {
    var generator = SplitMix64(seed: 0)
    return afterCrash(.onlySyncedSurvives, &generator).bytes
  }

  /// Returns a state that a power cut could leave.
  func afterCrash(_ model: CrashModel, _ generator: inout SplitMix64) -> MemoryContents {
    let newCount = countAfterCrash(model, &generator)
    var result: [UInt8] = []
    result.reserveCapacity(newCount)
    var index = 0
    while result.count < newCount {
      var page = pageAfterCrash(index, model, &generator)
      // Past the end of the file the system writes zeros, which remain if only the length survived.
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

  /// Returns the content of a page that did not reach the device: its durable bytes, followed by nothing (zeros, once
  /// the file's length is applied) or an old block's bytes.
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
