/// What is known about the end of the active segment when a line of it does not check.
///
/// A checksum cannot tell a line that a crash tore from one that was durable and then damaged. Only other evidence that
/// the line had been durable can (Alagappan et al., "Protocol-Aware Recovery for Consensus-Based Storage", FAST 2018):
/// later lines that say so, `HEAD`, a newer segment, and the shape of what a crash leaves behind.
package struct TailEvidence: Equatable {
  /// The first `seq` of the segment, which is its name.
  package var segment: Int
  /// The length of the file.
  package var sizeBytes: Int
  /// *b*: the first byte of the first line that is not whole, or the length of the file when all are.
  package var goodBytes: Int
  /// *s*: the `seq` of the last good line.
  package var lastSeq: Int
  /// Whether the line at *b* checks by itself but does not follow: no crash makes that.
  package var isWholeLineWrong = false
  /// Whether the segment begins with a `@segment` record.
  package var hasHeader = true
  /// The highest `synced` of the whole lines after *b*.
  package var highestSyncedBeyond: Int?
  /// The first byte of the next whole line after *b*; `nil` when the bad bytes reach the end of the file.
  package var nextWholeLine: Int?
  /// Whether the bytes from *b* to the next whole line hold a zeroed sector: what a lost page looks like.
  package var hasZeroedSector = false
  /// What `HEAD` says, if it can be read.
  package var head: LogHead?
  /// Whether a segment with a higher name exists.
  package var hasNewerSegment = false

  /// A segment of which nothing is known but its lengths.
  package init(segment: Int, sizeBytes: Int, goodBytes: Int, lastSeq: Int) {
    self.segment = segment
    self.sizeBytes = sizeBytes
    self.goodBytes = goodBytes
    self.lastSeq = lastSeq
  }
}

/// What the end of a segment is.
package enum TailVerdict: Equatable {
  /// Every line checks, and nothing says that there were more.
  case clean
  /// The last batch was cut by a crash: it was never acknowledged and may be cut off.
  case torn
  /// Durable bytes are missing or changed.
  case damaged(DamageReason)
}

/// Which clause of the recovery rule calls an end damaged.
package enum DamageReason: Equatable, CaseIterable {
  /// The segment does not begin with a `@segment` record, which is durable before the file gets its name.
  case noHeader
  /// A line checks by itself but does not follow the one before it.
  case wholeLineWrong
  /// A later whole line says that a `seq` after the last good one was durable.
  case laterLineSynced
  /// `HEAD` names a segment that is missing.
  case headNamesLaterSegment
  /// `HEAD` says that bytes at the bad line, or beyond the end of the file, were durable.
  case headNamesMoreBytes
  /// A newer segment exists, and this one was durable before that was made.
  case newerSegment
  /// Good lines follow, and nothing between looks like a lost page.
  case noLostSector

  var message: String {
    switch self {
    case .noHeader: "the segment does not begin with a @segment record"
    case .wholeLineWrong: "the line does not follow the one before it"
    case .laterLineSynced: "a later line says that this one was durable"
    case .headNamesLaterSegment: "HEAD names a later segment, which is missing"
    case .headNamesMoreBytes: "HEAD says that more of the segment was durable"
    case .newerSegment: "a newer segment exists"
    case .noLostSector: "good lines follow it, and no page is missing between"
    }
  }
}

extension TailEvidence {
  /// The recovery rule of the format.
  package func verdict() -> TailVerdict {
    if !hasHeader { return .damaged(.noHeader) }
    if isWholeLineWrong { return .damaged(.wholeLineWrong) }
    if let head {
      if head.segment > segment { return .damaged(.headNamesLaterSegment) }
      if head.segment == segment, head.bytes > goodBytes { return .damaged(.headNamesMoreBytes) }
    }
    if goodBytes == sizeBytes { return .clean }
    if hasNewerSegment { return .damaged(.newerSegment) }
    if let highestSyncedBeyond, highestSyncedBeyond > lastSeq { return .damaged(.laterLineSynced) }
    if nextWholeLine != nil, !hasZeroedSector { return .damaged(.noLostSector) }
    return .torn
  }
}

extension TailEvidence {
  /// Looks at the bytes from *b* on.
  ///
  /// - Complexity: O(bytes after *b*).
  mutating func look(beyond fault: LineFault, in file: SourceFile) throws(LogError) {
    isWholeLineWrong = fault.isWhole
    // An unfinished line reaches the end of the file. Not to look again keeps a live writer, which may have finished it
    // meanwhile, from being taken for evidence.
    guard fault != .unfinished else { return }
    let beyond = try TailBytes(file, from: goodBytes)
    highestSyncedBeyond = beyond.highestSynced
    nextWholeLine = beyond.firstWholeLine
    if let next = beyond.firstWholeLine {
      hasZeroedSector = try TailBytes.holdsZeroedSector(file, goodBytes..<next)
    }
  }
}
