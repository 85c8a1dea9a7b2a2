internal import JSONCoding

/// Keeps the bytes that recovery truncates.
struct Quarantine {
  let fileSystem: any LogFileSystem
  /// The log's directory.
  let directory: String

  /// Copies the bytes from an offset to the end of a segment to a new file, adds a report, and makes both durable.
  ///
  /// - Returns: The file, relative to the log's directory.
  /// - Complexity: O(bytes); memory O(1).
  func keep(
    _ file: any LogFile, segment: LogFolder.Segment, from byteOffset: Int, bytes: Int, report: Report
  ) throws(FileSystemError) -> String {
    let name = try folderName()
    let folder = directory + "/" + name
    let stem = try freeStem("\(SegmentName.text(first: segment.first)).\(byteOffset)", in: folder)
    try copy(file, byteOffset..<byteOffset + bytes, to: "\(folder)/\(stem).torn")
    try write(report.encoded(), to: "\(folder)/\(stem).json")
    try fileSystem.syncDirectory(folder)
    return "\(name)/\(stem).torn"
  }

  /// The number of names to try: more than a log has foreign files.
  private static let folderLimit = 100

  /// Finds or creates the directory: `quarantine`, or the first of `quarantine-2`, `quarantine-3`, … that is not
  /// occupied by another file.
  ///
  /// Symbolic links are not followed: they would lead out of the log.
  private func folderName() throws(FileSystemError) -> String {
    for number in 1...Self.folderLimit {
      let name = number == 1 ? LogFormat.quarantineName : "\(LogFormat.quarantineName)-\(number)"
      let folder = directory + "/" + name
      guard let status = try fileSystem.status(of: folder) else {
        try fileSystem.createDirectory(folder)
        try fileSystem.syncDirectory(directory)
        return name
      }
      if status.kind == .directory { return name }
    }
    throw FileSystemError(code: .notADirectory, operation: "open", path: directory + "/" + LogFormat.quarantineName)
  }

  /// Returns advice for a failure to keep the bytes.
  func advice(on error: FileSystemError) -> String {
    let folder = directory + "/" + LogFormat.quarantineName
    switch error.code {
    case .notADirectory, .notARegularFile, .exists:
      return
        "The torn bytes are kept in the directory '\(folder)': move the file at that path away, and open the log again."
    case .noSpace: return "Make room on the disk, and open the log again."
    case .permissionDenied, .readOnlyFileSystem:
      return "Make '\(folder)' writable, and open the log again."
    case .fileTooLarge: return LogError.fileSizeAdvice
    case .notFound, .notEmpty, .locked, .inputOutput:
      return "Remove the cause, and open the log again: nothing is truncated before the bytes are kept."
    }
  }

  /// Finds an unused name: the same offset can be torn twice, or an earlier attempt may have been interrupted.
  private func freeStem(_ stem: String, in folder: String) throws(FileSystemError) -> String {
    let names = Set(try fileSystem.names(in: folder))
    var candidate = stem
    var number = 2
    while names.contains(candidate + ".torn") || names.contains(candidate + ".json") {
      candidate = "\(stem)-\(number)"
      number += 1
    }
    return candidate
  }

  private func copy(_ source: any LogFile, _ range: Range<Int>, to path: String) throws(FileSystemError) {
    let target = try fileSystem.open(path, for: .create)
    defer { target.close() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let bytes = try source.bytes(at: offset, count: min(range.upperBound - offset, LineScanner.defaultChunkBytes))
      guard !bytes.isEmpty else { break }
      try target.append(bytes)
      offset += bytes.count
    }
    try target.sync(.data)
  }

  private func write(_ bytes: [UInt8], to path: String) throws(FileSystemError) {
    let target = try fileSystem.open(path, for: .create)
    defer { target.close() }
    try target.append(bytes)
    try target.sync(.data)
  }
}

extension Quarantine {
  /// The report about the bytes.
  struct Report {
    var segment: String
    var byteOffset: Int
    var bytes: Int
    var lastSeq: Int
    var time: LogTime
    var reason: String

    func encoded() -> [UInt8] {
      var output = Array(#"{"segment":"#.utf8)
      JSONText.appendString(segment, to: &output)
      output.append(
        contentsOf: #","byte":\#(byteOffset),"bytes":\#(bytes),"after":\#(lastSeq),"time":"\#(time)","#.utf8)
      output.append(contentsOf: #""reason":"#.utf8)
      JSONText.appendString(reason, to: &output)
      output.append(contentsOf: "}\n".utf8)
      return output
    }
  }
}
