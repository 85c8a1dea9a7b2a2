import Platform

/// The ends of a program and of a machine.
extension MemoryFileSystem {
  /// A file system as a power cut at this moment could leave it, everything in it durable, nothing open or locked.
  ///
  /// What was synchronised is there: the bytes of a file up to its last ``LogFile/synchronize(_:)``, if the entries that
  /// lead to it are. Of everything else the model draws what survives: pages of 4 KiB each on its own, so that later
  /// bytes may be there while earlier ones are not; a length between those that the file had; creations, renamings and
  /// removals one by one. This file system is not changed and can be crashed again with another seed.
  ///
  /// - Complexity: O(*n*) for *n* bytes in all files.
  public func crash(_ model: CrashModel) -> MemoryFileSystem {
    MemoryFileSystem(volume.withLock { volume in volume.afterCrash(model) })
  }

  /// A file system as another process would find it if this one were killed at this moment: nothing is lost, nothing
  /// more is synchronised, nothing is open or locked.
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
