import Platform

/// What a test does behind the engine's back: looking, planting, damaging, and making space scarce.
extension MemoryFileSystem {
  /// The paths of all files, sorted by their bytes, each beginning with `/`.
  ///
  /// - Complexity: O(*n* log *n*) for *n* files.
  public var filePaths: [String] {
    volume.withLock { volume in
      func paths(in directory: MemoryVolume.NodeID, _ prefix: [UInt8]) -> [[UInt8]] {
        (volume.directories[directory]?.entries ?? [:]).flatMap { name, node in
          let path = prefix + [UInt8(ascii: "/")] + name
          return volume.files[node] != nil ? [path] : paths(in: node, path)
        }
      }
      let sorted = paths(in: MemoryVolume.root, []).sorted { first, second in first.lexicographicallyPrecedes(second) }
      return sorted.map { path in String(decoding: path, as: UTF8.self) }
    }
  }

  /// All bytes of a file, as a reader sees them.
  ///
  /// - Throws: ``FileSystemError/Code/notFound``, or ``FileSystemError/Code/notARegularFile``.
  public func contents(of path: String) throws(FileSystemError) -> [UInt8] {
    try file(at: path).bytes
  }

  /// The bytes of a file that are synchronised: what a power cut leaves of it if nothing else survives.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  public func durableContents(of path: String) throws(FileSystemError) -> [UInt8] {
    try file(at: path).durableBytes
  }

  /// Puts bytes in the place of a file's own, or makes the file and the directories above it; all of it is durable at
  /// once. A program that has the file open sees the new bytes.
  ///
  /// - Throws: ``FileSystemError/Code/notARegularFile`` for a directory, ``FileSystemError/Code/notADirectory`` when a
  ///   file is on the way. The capacity does not count.
  public func setContents(_ bytes: [UInt8], of path: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      var directory = MemoryVolume.root
      var names = try volume.names(in: path, "setContents")
      guard let last = names.popLast() else {
        throw FileSystemError(code: .notARegularFile, operation: "setContents", path: path)
      }
      for name in names {
        let existing = volume.directories[directory]?.entries[name]
        let next = existing ?? volume.make(.directory, in: directory, name)
        guard volume.directories[next] != nil else {
          throw FileSystemError(code: .notADirectory, operation: "setContents", path: path)
        }
        volume.synchronizeEntries(of: directory)
        directory = next
      }
      let node = volume.directories[directory]?.entries[last] ?? volume.make(.file, in: directory, last)
      guard volume.files[node] != nil else {
        throw FileSystemError(code: .notARegularFile, operation: "setContents", path: path)
      }
      volume.files[node] = MemoryContents(durable: bytes)
      volume.synchronizeEntries(of: directory)
    }
  }

  /// Flips one bit of a file, in what is read and in what is durable, as a failing device does.
  ///
  /// - Parameters:
  ///   - bit: 0 (the lowest) … 7.
  ///   - offset: A byte that the file has; anything else is a programmer error.
  ///   - path: The file.
  public func flipBit(_ bit: Int, ofByte offset: Int, in path: String) throws(FileSystemError) {
    precondition((0..<8).contains(bit), "a byte has the bits 0…7")
    try volume.withLock { volume throws(FileSystemError) in
      let node = try volume.file(at: path)
      precondition((0..<(volume.files[node]?.count ?? 0)).contains(offset), "the file has no such byte")
      volume.files[node]?.flip(bit: bit, ofByte: offset)
    }
  }

  /// How many bytes all files together may hold; `nil` for no limit. An append beyond it writes what fits and fails
  /// with ``FileSystemError/Code/noSpace``.
  public var capacityBytes: Int? {
    get { volume.withLock { volume in volume.capacityBytes } }
    set { volume.withLock { volume in volume.capacityBytes = newValue } }
  }

  /// How many bytes all files together hold.
  ///
  /// - Complexity: O(*n*) for *n* files.
  public var usedBytes: Int {
    volume.withLock { volume in volume.usedBytes }
  }

  /// How often each operation was called.
  public var counts: OperationCounts {
    volume.withLock { volume in volume.counts }
  }

  /// Sets all counts to zero.
  public func resetCounts() {
    volume.withLock { volume in volume.counts = OperationCounts() }
  }

  private func file(at path: String) throws(FileSystemError) -> MemoryContents {
    try volume.withLock { volume throws(FileSystemError) in
      volume.files[try volume.file(at: path)] ?? MemoryContents()
    }
  }
}

extension MemoryVolume {
  /// The file at a path.
  fileprivate func file(at path: String) throws(FileSystemError) -> NodeID {
    guard let node = try node(at: path, "contents") else {
      throw FileSystemError(code: .notFound, operation: "contents", path: path)
    }
    guard files[node] != nil else { throw FileSystemError(code: .notARegularFile, operation: "contents", path: path) }
    return node
  }
}
