public import ActionLog
import ActionLogMaintenance
public import EventSourcing
import JSONCoding

extension History {
  /// Writes a bug report: a file with a range of the history, the state before it, its marks, and the findings of an
  /// examination of the complete log.
  ///
  /// The file is a log of a single segment. Its revision 0 is the state at `range.lowerBound`. If that is another revision of
  /// this log, the actions get new numbers and have the old ones in `meta.was`. A `cause` is renumbered, and omitted if its
  /// action is not in the range. Actions of older schemas are upcast. A failed examination is reported as a finding, and so is
  /// a reducer that refuses an action in the range. If the log is damaged, a range before the damage can be reported.
  ///
  /// - Parameters:
  ///   - range: The actions after the first revision up to the last.
  ///   - path: A path without a file.
  ///   - remark: A remark of at most 65 536 bytes.
  ///   - witness: The second fold of the examination; `nil` for one in this process.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``, also after damage; ``TimeTravelError/Code/invalidReport`` for a
  ///   remark that is too long; `LogError` with code `exists`, `locked`, `noSpace`, `inputOutput` if the file cannot be created,
  ///   `beyondLimit` if the state is longer than the limit of a line; the errors of reading and folding up to the first
  ///   revision. Then there is nothing at the path: the file is written as `PATH.unfinished` and renamed when it is complete.
  /// - Complexity: O(length of the log), which is read and folded twice.
  @discardableResult
  public func writeBugReport(
    of range: ClosedRange<Int>, to path: String, remark: String? = nil, against witness: (any ReplayWitness)? = nil,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) throws -> BugReport {
    try writeBugReport(
      of: range, to: path, on: fileSystem, remark: remark, against: witness, environment: environment, options: options)
  }

  package func writeBugReport(
    of range: ClosedRange<Int>, to path: String, on target: any LogFileSystem, remark: String?,
    against witness: (any ReplayWitness)?, environment: LogEnvironment, options: ReplayOptions
  ) throws -> BugReport {
    try M.requireOwnState(for: "a bug report", path: self.path)
    try check(range)
    if let remark, remark.utf8.count > BugReport.remarkLimitBytes {
      throw TimeTravelError(
        .invalidReport, "the remark has \(remark.utf8.count) bytes, more than \(BugReport.remarkLimitBytes)")
    }
    let start = try state(at: range.lowerBound, options: options)
    let parent = LogHeader.Parent(
      log: reader.header.log, revision: range.lowerBound, crc: try reader.anchor(at: range.lowerBound).checksum)
    let sink = try LogSink(
      to: path, "file", isSingleFile: true, model: reader.header.model, schema: M.schema, parent: parent,
      isRedactable: try reader.isRedactable(), fileSystem: target, environment: environment)
    var log = BranchLog<M>(sink, stem: range.lowerBound, last: range.upperBound, hasStem: false)
    do {
      for draft in try initialDrafts(of: start) { try log.append(control: draft) }
      try copy(range, to: &log)
      let replay = try fold(start, range, witness, options, &log)
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
        // After the last action there can only be control records, and the verification reports damage.
        guard error.code == .damaged, last == range.upperBound else { throw error }
        return nil
      }
    }
    while let record = try next(), record.revision <= range.upperBound {
      last = record.revision
      guard record.revision > range.lowerBound else { continue }
      if record.isControl {
        // Keep records about states and refused actions. Digests of another schema do not apply to this one.
        let isOfUse = record.controlType == .rejected || (record.controlType == .digest && record.schema == M.schema)
        guard isOfUse else { continue }
        try log.append(control: LogDraft(type: record.type, data: record.data, meta: record.meta, time: record.time))
      } else {
        // An action of a newer schema is refused here, as in every replay.
        let lifted = record.schema == M.schema ? nil : try decoder.actions(of: record)
        try log.append(record, lifted?.actions ?? [], isOpaque: lifted?.isOpaque ?? false)
      }
    }
  }

  private func fold(
    _ start: M.State, _ range: ClosedRange<Int>, _ witness: (any ReplayWitness)?, _ options: ReplayOptions,
    _ log: inout BranchLog<M>
  ) throws -> BugReport.Finding {
    do {
      let end = try fold(FoldRequest(start, at: range.lowerBound, to: range.upperBound), options: options)
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
    let report = try LogVerifier.verify(at: path, fileSystem: fileSystem)
    return BugReport.Finding(
      isSound: report.verdict == .clean, verdict: report.verdict.rawValue,
      remarks: (report.problems + report.warnings).map(\.description))
  }

  private func marks(in range: ClosedRange<Int>, of log: BranchLog<M>) throws -> [Mark] {
    try (marks?.read().marks ?? []).filter { mark in range.contains(mark.revision) }.map { mark in
      try Mark(mark.name, at: log.number(of: mark.revision), remark: mark.remark, time: mark.time)
    }
  }
}
