import ActionLog

/// The directories and files of a ``MemoryFileSystem``, with their durable parts. Directories map names to numbers, like inodes: an open
/// file outlives its name, and a rename moves one entry.
struct MemoryVolume: Sendable {
  typealias NodeID = Int
  /// The bytes of a name. To Swift strings the two normal forms of `é` are equal, to file systems they are not.
  typealias Name = [UInt8]

  struct Directory: Sendable {
    var entries: [Name: NodeID] = [:]
    /// The entries that would survive a power cut.
    var durableEntries: [Name: NodeID] = [:]
  }

  static let root: NodeID = 0

  var files: [NodeID: MemoryContents] = [:]
  var directories: [NodeID: Directory] = [root: Directory()]
  /// The entry changes that are not durable, the oldest first.
  var pendingChanges: [EntryChange] = []
  /// The number of open files for each node.
  var openCounts: [NodeID: Int] = [:]
  /// The locked directories.
  var locks: Set<NodeID> = []
  /// The total capacity of all files.
  var capacityBytes: Int?
  var counts = OperationCounts()
  private var nextID = 1

  /// The total size of the files that have a name or are open. Removing a file frees its space at once, although a
  /// power cut could restore it.
  var usedBytes: Int {
    var present = Set(openCounts.keys)
    for directory in directories.values { present.formUnion(directory.entries.values) }
    return present.reduce(0) { sum, node in sum + (files[node]?.count ?? 0) }
  }
}

extension MemoryVolume {
  /// Returns the identity of a node; numbers are never reused.
  static func identity(of node: NodeID) -> FileIdentity { FileIdentity(device: 0, inode: UInt64(node)) }
}

// MARK: - Paths

extension MemoryVolume {
  /// Returns the node at a path; `nil` if the last component does not exist.
  func node(at path: String, _ operation: String) throws(FileSystemError) -> NodeID? {
    var trail = [Self.root]
    let names = try names(in: path, operation)
    for (index, name) in names.enumerated() {
      guard let directory = directories[trail[trail.count - 1]] else {
        throw FileSystemError(code: .notADirectory, operation: operation, path: path)
      }
      if name == Array("..".utf8) {
        if trail.count > 1 { trail.removeLast() }
      } else if let next = directory.entries[name] {
        trail.append(next)
      } else if index == names.count - 1 {
        return nil
      } else {
        throw FileSystemError(code: .notFound, operation: operation, path: path)
      }
    }
    return trail[trail.count - 1]
  }

  func directory(at path: String, _ operation: String) throws(FileSystemError) -> NodeID {
    guard let node = try node(at: path, operation) else {
      throw FileSystemError(code: .notFound, operation: operation, path: path)
    }
    guard directories[node] != nil else {
      throw FileSystemError(code: .notADirectory, operation: operation, path: path)
    }
    return node
  }

  /// Returns the directory and the name of a path's last component, which need not exist.
  func parent(of path: String, _ operation: String) throws(FileSystemError) -> (directory: NodeID, name: Name) {
    let names = try names(in: path, operation)
    guard let name = names.last, name != Array("..".utf8) else {
      throw FileSystemError(code: names.isEmpty ? .exists : .inputOutput, operation: operation, path: path)
    }
    let parent = names.dropLast().map { name in "/" + String(decoding: name, as: UTF8.self) }.joined()
    do throws(FileSystemError) {
      return (try directory(at: parent + "/", operation), name)
    } catch {
      throw FileSystemError(code: error.code, operation: operation, path: path)
    }
  }

  /// Returns the components of a path, without `.` and empty ones.
  func names(in path: String, _ operation: String) throws(FileSystemError) -> [Name] {
    if path.isEmpty { throw FileSystemError(code: .notFound, operation: operation, path: path) }
    if path.utf8.contains(0) { throw FileSystemError(code: .inputOutput, operation: operation, path: path) }
    return path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init).filter { name in name != [UInt8(ascii: ".")] }
  }
}

// MARK: - Entries

extension MemoryVolume {
  /// Adds an empty file or directory under an unused name.
  mutating func make(_ kind: FileStatus.Kind, in directory: NodeID, _ name: Name) -> NodeID {
    let id = nextID
    nextID += 1
    if kind == .directory {
      directories[id] = Directory()
    } else {
      files[id] = MemoryContents()
    }
    apply(.link(directory: directory, name: name, node: id))
    return id
  }

  /// Applies a change to the visible entries; it becomes durable when the directory is synced.
  mutating func apply(_ change: EntryChange) {
    change.apply(to: &directories, \.entries)
    pendingChanges.append(change)
  }

  /// Makes the entries of a directory durable.
  mutating func syncEntries(of directory: NodeID) {
    var joined: Set = [directory]
    var joinedCount = 0
    while joinedCount != joined.count {
      joinedCount = joined.count
      for change in pendingChanges where !joined.isDisjoint(with: change.directories) {
        joined.formUnion(change.directories)
      }
    }
    for change in pendingChanges where !joined.isDisjoint(with: change.directories) {
      change.apply(to: &directories, \.durableEntries)
    }
    pendingChanges.removeAll { change in !joined.isDisjoint(with: change.directories) }
    collect()
  }

  /// Whether a directory is inside another one, or the same.
  func directory(_ inner: NodeID, isWithin outer: NodeID) -> Bool {
    inner == outer
      || directories[outer]?.entries.values.contains { child in
        directories[child] != nil && directory(inner, isWithin: child)
      } == true
  }

  /// Removes the files that are unreachable, now and after a power cut. Called when a name is removed, never by an append.
  mutating func collect() {
    var reachable: Set<NodeID> = []
    var waiting = [Self.root] + openCounts.keys + locks
    for change in pendingChanges { waiting += change.directories.union([change.node]) }
    while let node = waiting.popLast() {
      guard reachable.insert(node).inserted, let directory = directories[node] else { continue }
      waiting += directory.entries.values
      waiting += directory.durableEntries.values
    }
    files = files.filter { id, _ in reachable.contains(id) }
    directories = directories.filter { id, _ in reachable.contains(id) }
  }
}

enum EntryChange: Sendable {
  case link(directory: MemoryVolume.NodeID, name: MemoryVolume.Name, node: MemoryVolume.NodeID)
  case unlink(directory: MemoryVolume.NodeID, name: MemoryVolume.Name, node: MemoryVolume.NodeID)
  /// A file or directory was renamed; the node that had the new name lost it.
  case move(
    from: MemoryVolume.NodeID, name: MemoryVolume.Name, to: MemoryVolume.NodeID, newName: MemoryVolume.Name,
    node: MemoryVolume.NodeID
  )

  var node: MemoryVolume.NodeID {
    switch self {
    case .link(_, _, let node), .unlink(_, _, let node), .move(_, _, _, _, let node): node
    }
  }

  var directories: Set<MemoryVolume.NodeID> {
    switch self {
    case .link(let directory, _, _), .unlink(let directory, _, _): [directory]
    case .move(let directory, _, let newDirectory, _, _): [directory, newDirectory]
    }
  }

  /// Applies the change to one of the two tables of entries.
  ///
  /// After a power cut, earlier changes may be missing in the table. A name is removed only from the intended file,
  /// and a rename moves its file even if the creation was lost: the device has one directory block, which reflects
  /// the last change to it.
  func apply(
    to directories: inout [MemoryVolume.NodeID: MemoryVolume.Directory],
    _ table: WritableKeyPath<MemoryVolume.Directory, [MemoryVolume.Name: MemoryVolume.NodeID]>
  ) {
    switch self {
    case .link(let directory, let name, let node):
      directories[directory]?[keyPath: table][name] = node
    case .unlink(let directory, let name, let node):
      if directories[directory]?[keyPath: table][name] == node { directories[directory]?[keyPath: table][name] = nil }
    case .move(let directory, let name, let newDirectory, let newName, let node):
      if directories[directory]?[keyPath: table][name] == node { directories[directory]?[keyPath: table][name] = nil }
      directories[newDirectory]?[keyPath: table][newName] = node
    }
  }
}
