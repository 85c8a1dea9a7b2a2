/// What a power cut does to what was not synchronised.
///
/// Chances are drawn for every page, entry and file on its own, in an order that is fixed, so that a model with the
/// same seed leaves the same files. What was synchronised always survives.
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
  /// The chance of each page written since the last synchronisation to be on the device.
  public var pageSurvival: Double
  /// The chance of a surviving page to be there in its first sectors only.
  public var tornPageShare: Double
  /// The chance of a surviving page to be there as it was before one of its last writes.
  public var earlierPageShare: Double
  /// The chance of each creation, renaming and removal since the last synchronisation of its directory to be on the
  /// device.
  public var entrySurvival: Double
  /// The chance of a file's length to be another than the last one synchronised: the present one, or any that lies
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

  /// The device holds what was synchronised and nothing else.
  public static let onlySynchronizedSurvives = CrashModel(seed: 0, pageSurvival: 0, entrySurvival: 0, sizeSurvival: 0)
}
