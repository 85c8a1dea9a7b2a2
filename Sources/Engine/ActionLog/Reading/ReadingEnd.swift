/// Where reading a log in order stopped, with all that decides how the log ends there.
struct ReadingEnd {
  var file: SourceFile
  /// The first action of the segment, by its name.
  var segment: Int
  /// The end of the last good line in the file.
  var goodBytes: Int
  /// How many lines of the segment are good; `nil` when reading began in the middle of it.
  var lineCount: Int?
  /// Behind the last good line.
  var chain: ChainState
  /// What `HEAD` said before the log was read.
  var head: LogHead?
  var hasNewerSegment: Bool
  /// The first action that was read.
  var firstRead: Int?

  /// How the log ends, by the recovery rule of the format.
  ///
  /// - Parameter fault: What is wrong with the first line that is not good; `nil` when there is none.
  /// - Complexity: O(bytes after the last good line), and with a damaged line whose number is not known O(bytes before it).
  func judge(_ fault: LineFault?) throws(LogError) -> LogEnding {
    var evidence = TailEvidence(
      segment: segment, sizeBytes: goodBytes, goodBytes: goodBytes, lastSeq: chain.link?.seq ?? segment - 1)
    evidence.head = head
    evidence.hasHeader = chain.header != nil
    evidence.hasNewerSegment = hasNewerSegment
    if let fault {
      // At least one byte is bad, even if the file was cut since.
      evidence.sizeBytes = max(try file.size(), goodBytes + 1)
      try evidence.look(beyond: fault, in: file)
    }
    switch evidence.verdict() {
    case .clean:
      return chain.isClosed ? .closed : .clean
    case .torn:
      let place = LogPlace(path: file.path, byteOffset: goodBytes, line: lineCount.map { count in count + 1 })
      return .torn(bytes: evidence.sizeBytes - goodBytes, place: place)
    case .damaged(let reason):
      return .damaged(try damage(reason, fault, evidence.lastSeq))
    }
  }

  private func damage(_ reason: DamageReason, _ fault: LineFault?, _ lastSeq: Int) throws(LogError) -> LogError {
    let number = if let lineCount { lineCount + 1 } else { try LineScanner.lineNumber(at: goodBytes, in: file) }
    return LogError.damage(
      reason, fault, path: file.path, line: number, byteOffset: goodBytes, lastSeq: lastSeq, firstRead: firstRead)
  }
}
