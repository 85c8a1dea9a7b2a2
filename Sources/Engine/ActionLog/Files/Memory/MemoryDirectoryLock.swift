import Platform

/// The lock on a directory of a ``MemoryFileSystem``.
final class MemoryDirectoryLock: DirectoryLock {
  private let volume: Locked<MemoryVolume>
  /// `nil` once the lock was given back: another one may have taken it since.
  private let node: Locked<MemoryVolume.NodeID?>
  let identity: FileIdentity?

  /// Takes over a lock that the volume has noted.
  init(node: MemoryVolume.NodeID, of volume: Locked<MemoryVolume>) {
    self.node = Locked(node)
    identity = MemoryVolume.identity(of: node)
    self.volume = volume
  }

  deinit { unlock() }

  func unlock() {
    node.withLock { node in
      if let held = node {
        volume.withLock { volume in _ = volume.locks.remove(held) }
      }
      node = nil
    }
  }
}
