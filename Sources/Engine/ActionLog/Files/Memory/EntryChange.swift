/// A change to the entries of a directory, as a whole durable or not.
enum EntryChange: Sendable {
  /// A file or directory got a name.
  case link(directory: MemoryVolume.NodeID, name: MemoryVolume.Name, node: MemoryVolume.NodeID)
  /// A file or directory lost its name.
  case unlink(directory: MemoryVolume.NodeID, name: MemoryVolume.Name, node: MemoryVolume.NodeID)
  /// A file or directory got another name; what had it before, if anything, lost it.
  case move(
    from: MemoryVolume.NodeID, name: MemoryVolume.Name, to: MemoryVolume.NodeID, newName: MemoryVolume.Name,
    node: MemoryVolume.NodeID
  )

  /// The file or directory concerned.
  var node: MemoryVolume.NodeID {
    switch self {
    case .link(_, _, let node), .unlink(_, _, let node), .move(_, _, _, _, let node): node
    }
  }

  /// The directories whose entries change.
  var directories: Set<MemoryVolume.NodeID> {
    switch self {
    case .link(let directory, _, _), .unlink(let directory, _, _): [directory]
    case .move(let directory, _, let newDirectory, _, _): [directory, newDirectory]
    }
  }

  /// Makes the change in either of the two tables of entries.
  ///
  /// Earlier changes may be missing in the table after a power cut. A name is taken away only from the file that is
  /// meant, and a renaming brings its file along even when the creation was lost: the device holds one directory block,
  /// which says what the last change to it says.
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
