import ActionLog
import Foundation

/// A file system whose syncs take longer, as those of slower devices do.
struct SlowFileSystem: ForwardingFileSystem {
  let base: any LogFileSystem
  private let delay: Duration

  /// Adds a delay to each sync of a file.
  init(_ base: any LogFileSystem, addedToSync delay: Duration) {
    self.base = base
    self.delay = delay
  }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    SlowFile(try base.open(path, for: access), delay)
  }
}

/// A file whose syncs take longer.
private final class SlowFile: ForwardingFile {
  let base: any LogFile
  private let delay: Duration

  init(_ base: any LogFile, _ delay: Duration) {
    self.base = base
    self.delay = delay
  }

  func sync(_ strength: SyncStrength) throws(FileSystemError) {
    try base.sync(strength)
    // The thread sleeps as it does while a device works.
    if delay > .zero { usleep(UInt32(delay.nanoseconds / 1_000)) }
  }
}

extension Duration {
  fileprivate var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
