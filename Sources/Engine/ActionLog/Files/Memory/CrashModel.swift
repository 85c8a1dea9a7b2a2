internal import Platform

/// What a power cut does to what was not synced.
///
/// Chances are drawn for every page, entry and file on its own, in an order that is fixed, so that a model with the
/// same seed leaves the same files. What was synced always survives.
public struct CrashModel: Sendable, Equatable {
  /// What is found where data was to be, when the length of the file reached the device and the data did not.
  public enum LostData: Sendable {
    /// Zeros, as on file systems that mark new blocks until they are written: ext4, XFS, Btrfs, APFS.
    case zeros
    /// What the blocks held before: noise, or an earlier page of the same file.
    case staleBlocks
  }

  /// Where the draws begin.
  public var seed: UInt64
  /// The chance of each page written since the last sync to be on the device.
  public var pageSurvival: Double
  /// The chance of a surviving page to be there in its first sectors only.
  public var tornPageShare: Double
  /// The chance of a surviving page to be there as it was before one of its last writes.
  public var earlierPageShare: Double
  /// The chance of each creation, renaming and removal since the last sync of its directory to be on the
  /// device.
  public var entrySurvival: Double
  /// The chance of a file's length to be another than the last one synced: the present one, or any that lies
  /// between the shortest and the longest since.
  public var sizeSurvival: Double
  /// What is found in place of lost data.
  public var lostData: LostData

  /// Makes a model. The chances are 0…1.
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

  /// The device holds what was synced and nothing else.
  public static let onlySyncedSurvives = CrashModel(seed: 0, pageSurvival: 0, entrySurvival: 0, sizeSurvival: 0)
}

/// The ends of a program and of a machine.
extension MemoryFileSystem {
  /// A file system as a power cut at this moment could leave it, everything in it durable, nothing open or locked.
  ///
  /// What was synced is there: the bytes of a file up to its last ``LogFile/sync(_:)``, if the entries that
  /// lead to it are. Of everything else the model draws what survives: pages of 4 KiB each on its own, so that later
  /// bytes may be there while earlier ones are not; a length between those that the file had; creations, renamings and
  /// removals one by one. This file system is not changed and can be crashed again with another seed.
  ///
  /// - Complexity: O(*n*) for *n* bytes in all files.
  public func crash(_ model: CrashModel) -> MemoryFileSystem {
    MemoryFileSystem(volume.withLock { volume in volume.afterCrash(model) })
  }

  /// A file system as another process would find it if this one were killed at this moment: nothing is lost, nothing
  /// more is synced, nothing is open or locked.
  ///
  /// - Complexity: O(*n*) for *n* files and directories; bytes are shared until one side changes them.
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
  /// The unit that a device writes wholly or not at all.
  private static let sectorBytes = 512

  /// What is sure to be on the device.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  var durableBytes: [UInt8] {
    var generator = SplitMix64(seed: 0)
    return afterCrash(.onlySyncedSurvives, &generator).bytes
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

/// A small generator whose whole course follows from its seed, for crashes that can be made again.
///
/// G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the course that belongs to a seed.
  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Draws `true` with a probability of 0…1.
  package mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }
}
