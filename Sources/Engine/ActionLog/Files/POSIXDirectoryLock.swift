import Platform

/// A lock that lives in the descriptor of a directory.
final class POSIXDirectoryLock: DirectoryLock {
  /// `nil` once the lock was given back.
  private let descriptor: Locked<Int32?>
  let identity: FileIdentity?

  /// Takes over a descriptor that holds the lock.
  init(descriptor: Int32, identity: FileIdentity) {
    self.descriptor = Locked(descriptor)
    self.identity = identity
  }

  deinit { unlock() }

  func unlock() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      // Closing alone would leave the lock with a child process that inherited the descriptor by fork.
      SystemCall.unlock(open)
      SystemCall.closeDescriptor(open)
      descriptor = nil
    }
  }
}
