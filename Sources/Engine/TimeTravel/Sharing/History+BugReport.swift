public import ActionLog
public import EventSourcing
import JSONCoding

extension History {
  /// Writes a stretch of the history into one file that can be sent to whoever looks for a bug: the state before it, its actions,
  /// the marks within it, and what an examination of the whole log found.
  ///
  /// The file is a log of a single segment. It begins at the state at `range.lowerBound`, its revision 0. Where that is not
  /// revision 0 of this log, too, its actions have other numbers and say in `meta.was` which they had; a `cause` is given in the new
  /// numbers, and left out when that action is not in the stretch. Actions of older schemas are lifted. An examination that fails
  /// is part of the finding, and a reducer that refuses within the stretch only says so. Of a damaged log a stretch before the
  /// damage can be reported.
  ///
  /// - Parameters:
  ///   - range: The stretch: the actions behind the first revision up to the last.
  ///   - path: Where the file is to lie: a path at which nothing lies.
  ///   - remark: What is to be said of it, at most 65 536 bytes.
  ///   - witness: The second fold of the examination; `nil` is one in this process.
  ///   - environment: Clock and identifier of the report.
  ///   - options: Whether snapshots are used for the state, and whom to tell of the progress.
  /// - Returns: What the report says of itself.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``, also behind damage; ``TimeTravelError/Code/invalidReport`` for a remark that is too long;
  ///   `LogError` with code `exists`, `locked`, `noSpace`, `inputOutput` when it cannot be made, `beyondLimit` when the state is
  ///   longer than a line can be; the errors of reading and folding up to the first revision. Nothing is at the path then: the file is
  ///   made in `PATH.unfinished` and gets its name when it is whole.
  /// - Complexity: O(length of the log), which is read and folded twice.
  @discardableResult
  public func writeBugReport(
    of range: ClosedRange<Int>, to path: String, remark: String? = nil, against witness: (any ReplayWitness)? = nil,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) throws -> BugReport {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    if let remark, remark.utf8.count > BugReport.remarkLimitBytes {
      throw TimeTravelError(
        .invalidReport, "the remark has \(remark.utf8.count) bytes, more than \(BugReport.remarkLimitBytes)")
    }
    let start = try state(at: range.lowerBound, options: options)
    let parent = LogHeader.Parent(
      log: reader.header.log, seq: range.lowerBound, crc: try reader.anchor(at: range.lowerBound).checksum)
    let sink = try SegmentFileSink(
      to: path, model: reader.header.model, schema: M.schema, parent: parent, fileSystem: fileSystem,
      environment: environment)
    var log = BranchLog<M>(sink, stem: range.lowerBound, last: range.upperBound, hasStem: false)
    do {
      for draft in try startDrafts(of: start.state) { try log.append(control: draft) }
      try copy(range, to: &log)
      let replay = try fold(start.state, range, witness, options, &log)
      let report = BugReport(
        log: reader.header.log, first: range.lowerBound, last: range.upperBound, remark: remark,
        marks: try marks(in: range, of: log), verification: try verification(), replay: replay)
      try log.append(control: LogDraft(report))
      try log.finish()
      return report
    } catch {
      log.discard()
      throw error
    }
  }

  private func copy(_ range: ClosedRange<Int>, to log: inout BranchLog<M>) throws {
    var records = try reader.records(from: range.lowerBound)
    var last = range.lowerBound
    func next() throws(LogError) -> LogRecord? {
      do throws(LogError) { return try records.next() } catch {
        // Behind the last action only remarks are looked for, and damage is told by the verification.
        guard error.code == .damaged, last == range.upperBound else { throw error }
        return nil
      }
    }
    while let record = try next(), record.seq <= range.upperBound {
      last = record.seq
      guard record.seq > range.lowerBound else { continue }
      if record.isControl {
        // What says something of a state, or of an action that was refused; digests of another schema say nothing of this one's.
        let isOfUse = record.controlType == .rejected || (record.controlType == .digest && record.schema == M.schema)
        guard isOfUse else { continue }
        try log.append(control: LogDraft(type: record.type, data: record.data, meta: record.meta, time: record.time))
      } else {
        // One of a newer schema is refused here, as in every replay.
        let lifted = record.schema == M.schema ? nil : try decoder.actions(of: record)
        try log.append(record, lifted?.actions ?? [], isOpaque: lifted?.isOpaque ?? false)
      }
    }
  }

  /// Folds the stretch, and then everything twice.
  ///
  /// - Returns: What came of it.
  private func fold(
    _ start: M.State, _ range: ClosedRange<Int>, _ witness: (any ReplayWitness)?, _ options: ReplayOptions,
    _ log: inout BranchLog<M>
  ) throws -> BugReport.Finding {
    do {
      let end = try advance(start, from: range.lowerBound, to: range.upperBound, options: options)
      try log.appendDigest(of: end.state, fingerprint: try M.fingerprint(unknownTypes: decoder.unknownTypes))
      let proof = try prove(at: range.upperBound, against: witness, options: options)
      return BugReport.Finding(
        isSound: proof.isProven, verdict: proof.isProven ? "proved" : "not proved",
        remarks: ["the second fold was done \(proof.witness)"] + proof.disagreements.map(\.description)
          + (proof.damage.map { damage in [damage.description] } ?? []))
    } catch let error as EventSourcingError {
      return BugReport.Finding(isSound: false, verdict: "cannot be folded", remarks: [error.description])
    }
  }

  private func verification() throws(LogError) -> BugReport.Finding {
    let report = try LogVerifier.verify(path, fileSystem: fileSystem)
    return BugReport.Finding(
      isSound: report.verdict == .clean, verdict: report.verdict.rawValue,
      remarks: (report.problems + report.warnings).map(\.description))
  }

  /// The marks of a stretch, in the revisions of the report.
  private func marks(in range: ClosedRange<Int>, of log: BranchLog<M>) throws -> [Mark] {
    try (marks?.read().marks ?? []).filter { mark in range.contains(mark.revision) }.map { mark in
      try Mark(mark.name, at: log.number(of: mark.revision), remark: mark.remark, time: mark.time)
    }
  }
}
