import ActionLog
import JSONCoding
import Platform

extension History {
  /// Reads every action of the log, and reports for each type in it how well the model reads it.
  ///
  /// An action is *fine* if it decodes, and encodes again to its recorded or lifted form. The log is folded as well, because an
  /// action that the reducer refuses is as unusable as an unknown type. Ranges of a long log are examined side by side, on all
  /// processors; the report is the same.
  ///
  /// - Parameter isCancelled: Called about every 1 024 actions.
  /// - Throws: `LogError` if the log cannot be read; `CancellationError`. An action that the model cannot read is not an error.
  public func compatibility(
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) throws -> CompatibilityReport {
    var options = ReplayOptions()
    options.isCancelled = isCancelled
    return try compatibility(options: options)
  }

  /// Reports as ``compatibility(isCancelled:)``, with as many threads and ranges as the options allow.
  package func compatibility(options: ReplayOptions) throws -> CompatibilityReport {
    let revisions: ClosedRange<Int>?
    // The examination reports the error.
    do throws(LogError) { revisions = reader.revisions(upTo: try lastRevision()) } catch { revisions = nil }
    var examination = try examineSideBySide(revisions, options) ?? examineInOrder(revisions, options)
    examination.finish()
    if examination.report.grade != .impossible, !examination.report.entries.isEmpty {
      let count = examination.report.entries.reduce(0) { sum, entry in sum + entry.count }
      try examination.fold(self, options.reporting(afterExamined: count))
    }
    return examination.report
  }

  private func examineInOrder(
    _ revisions: ClosedRange<Int>?, _ options: ReplayOptions
  ) throws -> CompatibilityExamination<M> {
    let limit = revisions.map { revisions in revisions.upperBound - revisions.lowerBound }
    var count = 0
    return try examine(from: 0, through: nil) {
      if options.isCancelled() { throw CancellationError() }
      count += Self.examinedAtATime
      options.reportExamined(count, of: limit)
    }.examination
  }

  /// Examines ranges of actions, each on a thread of its own, and adds their results in order. A range begins by reading the last
  /// action of the one before it, so that the link between all lines is checked.
  ///
  /// - Returns: `nil` if the log has to be examined in order: it is short, or a writer replaced the line at which two ranges meet.
  private func examineSideBySide(
    _ revisions: ClosedRange<Int>?, _ options: ReplayOptions
  ) throws -> CompatibilityExamination<M>? {
    guard let revisions, case let bounds = examinedBounds(revisions, options), bounds.count > 1 else { return nil }
    var examination = CompatibilityExamination<M>(decoder: decoder)
    var seam: ExaminedRange<M>.Seam?
    var isContinuous = true
    let limit = revisions.upperBound - revisions.lowerBound
    var count = 0
    let ending = try OrderedJobs<ExaminedRange<M>?>.run(
      bounds.count, width: options.foldLimit, isCancelled: options.isCancelled,
      { number, output in
        let last = number + 1 < bounds.count ? bounds[number + 1] : nil
        try output.pass(try examine(from: bounds[number], through: last) { try output.pass(nil) })
      },
      consume: { range in
        guard let range else {
          // Here and not on the threads, because a task's cancellation is only visible on the caller's.
          if options.isCancelled() { throw CancellationError() }
          count += Self.examinedAtATime
          options.reportExamined(count, of: limit)
          return true
        }
        isContinuous = range.first == seam
        guard isContinuous else { return false }
        examination.add(range.examination)
        seam = range.last
        return true
      })
    switch ending {
    case .complete: return isContinuous ? examination : nil
    case .failed(let error as CancellationError): throw error
    case .failed:
      // The error of reading from the beginning, without another examination: it names all actions that are intact.
      var batches = try reader.batches(from: 0)
      while let batch = try batches.nextBatch() { batches.recycle(batch) }
      return nil
    case .noThread: return nil
    }
  }

  /// The actions after which the ranges begin, ascending, beginning with 0; only that one if the log is examined in order.
  private func examinedBounds(_ revisions: ClosedRange<Int>, _ options: ReplayOptions) -> [Int] {
    guard options.foldLimit > 1 else { return [0] }
    let length = revisions.upperBound - revisions.lowerBound
    let count = min(Self.examinedRangesPerThread * options.foldLimit, length / max(1, options.shortestRange))
    guard count > 1 else { return [0] }
    return [0] + (1..<count).map { number in revisions.lowerBound + length / count * number }
  }

  private static var examinedAtATime: Int { 1_024 }
  /// More ranges than threads, so that the threads end at about the same time.
  private static var examinedRangesPerThread: Int { 4 }

  private func examine(
    from first: Int, through last: Int?, _ proceed: () throws -> Void
  ) throws -> ExaminedRange<M> {
    var range = ExaminedRange<M>(examination: CompatibilityExamination(decoder: decoder))
    var batches = try reader.batches(from: first)
    var seen = 0
    while let batch = try batches.nextBatch() {
      for (index, entry) in batch.entries.enumerated() where !entry.isControl {
        if first > 0, range.first == nil {
          range.first = ExaminedRange.Seam(entry)
          continue
        }
        range.examination.examine(
          StoredRecord(
            revision: entry.revision, type: batch.type(at: index), data: batch.data(at: index), schema: entry.schema))
        seen += 1
        if seen % Self.examinedAtATime == 0 { try proceed() }
        guard let last, entry.revision >= last else { continue }
        range.last = ExaminedRange.Seam(entry)
        return range
      }
      batches.recycle(batch)
    }
    return range
  }
}

/// A range of actions that was examined by itself.
private struct ExaminedRange<M: Model>: Sendable {
  /// A line at which two ranges meet.
  struct Seam: Equatable {
    var revision: Int
    var crc: UInt32
    var schema: Int

    init(_ entry: RecordEntry) { (revision, crc, schema) = (entry.revision, entry.crc, entry.schema) }
  }

  var examination: CompatibilityExamination<M>
  /// The line before the range; `nil` at the beginning of the log.
  var first: Seam?
  /// The last line; `nil` at the end of the log.
  var last: Seam?
}

/// An action in its recorded form.
struct StoredRecord {
  var revision: Int
  var type: String
  var data: ArraySlice<UInt8>
  var schema: Int
}

/// The examination of the records of a log, or of a range of them.
struct CompatibilityExamination<M: Model>: Sendable {
  private(set) var report: CompatibilityReport
  private let decoder: RecordDecoder<M>
  private let coder = ActionCoder<M.Action>()
  private var places: [Place: Int] = [:]
  /// The upcasters that lifted an action: their types, and the schemas at which their steps begin.
  private var used: Set<Place> = []
  private var recordedTypes: Set<String> = []

  private struct Place: Hashable {
    var type: String
    var schema: Int
  }

  /// The result for one record.
  private struct Finding {
    var grade: CompatibilityReport.Grade
    var reason = ""
    var remedy: CompatibilityReport.Remedy?
  }

  init(decoder: RecordDecoder<M>) {
    self.decoder = decoder
    report = CompatibilityReport(model: M.name, schema: M.schema, entries: [])
  }

  mutating func examine(_ record: StoredRecord) {
    note(finding(of: record), record)
  }

  mutating func add(_ next: CompatibilityExamination) {
    for entry in next.report.entries {
      let place = Place(type: entry.type, schema: entry.schema)
      guard let index = places[place] else {
        places[place] = report.entries.count
        report.entries.append(entry)
        continue
      }
      report.entries[index].count += entry.count
      worsen(
        index, to: Finding(grade: entry.grade, reason: entry.reason, remedy: entry.remedy), at: entry.revision)
    }
    used.formUnion(next.used)
    recordedTypes.formUnion(next.recordedTypes)
  }

  mutating func finish() {
    let versions = Set(places.keys.map(\.schema)).filter { version in version >= decoder.chain.oldest }
    report.unusedUpcasters = decoder.chain.upcasters(passedFrom: versions).compactMap { upcaster, from, to in
      if used.contains(Place(type: upcaster.type, schema: from)) { return nil }
      return CompatibilityReport.UnusedUpcaster(type: upcaster.type, from: from, to: to)
    }
    report.recursiveTypes = recordedTypes.filter { type in
      let names = type.split(separator: ".")
      return Set(names).count < names.count
    }.sorted()
  }

  mutating func fold(_ history: History<M>, _ options: ReplayOptions) throws {
    var options = options
    options.usesSnapshots = false
    do {
      BlockingWork.release(try history.replay(options: options))
    } catch let error as EventSourcingError where error.code == .refusedInReplay {
      guard let revision = error.revision else { return }
      let record = try history.reader.record(at: revision)
      let reason = "the reducer refuses it" + (error.underlying.map { underlying in ": \(underlying)" } ?? "")
      note(
        Finding(grade: .impossible, reason: reason),
        StoredRecord(revision: revision, type: record.type, data: record.dataBytes, schema: record.schema), isNew: false
      )
    } catch let error as EventSourcingError where error.code == .undecodableState {
      note(
        Finding(grade: .impossible, reason: "the state that the log begins with does not decode"),
        StoredRecord(revision: 0, type: ControlType.base.rawValue, data: [], schema: history.reader.header.schema))
    }
  }

  private mutating func note(_ finding: Finding, _ record: StoredRecord, isNew: Bool = true) {
    let place = Place(type: record.type, schema: record.schema)
    guard let index = places[place] else {
      places[place] = report.entries.count
      report.entries.append(
        CompatibilityReport.Entry(
          type: record.type, schema: record.schema, count: 1, grade: finding.grade, reason: finding.reason,
          revision: record.revision, remedy: finding.remedy,
          upcaster: decoder.chain.upcaster(of: record.type, from: record.schema),
          evolutionStart: decoder.chain.oldest))
      return
    }
    if isNew { report.entries[index].count += 1 }
    worsen(index, to: finding, at: record.revision)
  }

  /// Replaces the finding of a type unless the earlier one is as bad.
  private mutating func worsen(_ index: Int, to finding: Finding, at revision: Int) {
    guard finding.grade > report.entries[index].grade else { return }
    report.entries[index].grade = finding.grade
    report.entries[index].reason = finding.reason
    report.entries[index].revision = revision
    report.entries[index].remedy = finding.remedy
  }
}

extension CompatibilityExamination {
  private mutating func finding(of record: StoredRecord) -> Finding {
    let chain = decoder.chain
    guard record.schema <= chain.schema else {
      return Finding(grade: .impossible, reason: "a newer program recorded it, under schema \(record.schema)")
    }
    let stored: StoredAction
    do {
      let values: JSONObject = if case .object(let object) = try JSONValue(parsing: record.data) { object } else { [:] }
      stored = StoredAction(type: record.type, data: values)
    } catch {
      return Finding(grade: .impossible, reason: "\(error)")
    }
    guard record.schema >= chain.oldest else {
      let unlifted = finding(of: stored)
      let words = unlifted.reason.isEmpty ? "it would be read unchanged" : unlifted.reason
      return Finding(
        grade: .impossible,
        reason: "no step begins at schema \(record.schema), the evolution begins at \(chain.oldest); \(words)",
        remedy: unlifted.remedy ?? CompatibilityReport.Remedy.none)
    }
    let lifted: [StoredAction]
    var used = used
    defer { self.used = used }
    do throws(UpcastFailure) {
      lifted = try chain.lift(stored, from: record.schema) { upcaster, version in
        used.insert(Place(type: upcaster.type, schema: version))
      }
    } catch {
      return Finding(
        grade: .impossible,
        reason: "the upcaster of '\(error.type)' from schema \(error.from) to \(error.to) failed: \(error)")
    }
    let findings = lifted.map { action in finding(of: action) }
    let worst = findings.max { first, second in first.grade < second.grade }
    guard var worst else { return Finding(grade: .fine, reason: "an upcaster drops it") }
    if lifted != [stored] {
      let types = lifted.map(\.type)
      let became = types == [stored.type] ? "an upcaster edits it" : "becomes " + types.joined(separator: ", ")
      worst.reason = worst.reason.isEmpty ? became : became + "; " + worst.reason
    }
    return worst
  }

  private mutating func finding(of action: StoredAction) -> Finding {
    let data = JSONValue.object(action.data)
    do {
      let decoded = try coder.decode(type: action.type, data: data.bytes()[...])
      let form = try coder.encode(decoded)
      recordedTypes.insert(form.type)
      guard form.type == action.type else {
        let isSame = try Self.nested(form.type, form.data) == Self.nested(action.type, data.bytes())
        if isSame { return Finding(grade: .fine, reason: "recorded as '\(form.type)' by this program") }
        return Finding(grade: .risky, reason: "it is read as '\(form.type)'", remedy: .renameOrDrop)
      }
      let before = data.withoutNulls.bytes(.canonical)
      let after = try JSONValue(parsing: form.data).withoutNulls.bytes(.canonical)
      guard let difference = try StateDifference(between: before, after) else { return Finding(grade: .fine) }
      return Finding(grade: .risky, reason: Self.words(difference), remedy: .rewrite)
    } catch  where UnknownType.isMissing(action.type, error) {
      if decoder.unknownTypes == .keep {
        return Finding(grade: .risky, reason: "there is no such action; it is kept as an opaque record")
      }
      return Finding(grade: .impossible, reason: "there is no such action", remedy: .renameOrDrop)
    } catch {
      let fault = DecodingFaultPlace(error, type: action.type)
      return Finding(grade: .impossible, reason: fault.words, remedy: fault.remedy)
    }
  }

  /// The action without the division into type and data, which depends on the program that recorded it.
  private static func nested(_ type: String, _ data: [UInt8]) throws -> [UInt8] {
    let bytes = ActionCoding.nested(type: type, data: data)
    return try JSONValue(parsing: bytes, maximumDepth: JSONTape.depthLimit).withoutNulls.bytes(.canonical)
  }

  private static func words(_ difference: StateDifference) -> String {
    switch (difference.first, difference.second) {
    case (let old?, nil): "\(difference.pointer) is ignored (\(old))"
    case (nil, let new?): "\(difference.pointer) is added (\(new))"
    case (let old, let new): "\(difference.pointer) is read as \(new ?? .null) instead of \(old ?? .null)"
    }
  }
}

extension JSONValue {
  /// The value without members that are `null`, which decoding treats as missing.
  fileprivate var withoutNulls: JSONValue {
    switch self {
    case .object(let object):
      .object(
        JSONObject(
          object.filter { member in member.value != .null }.map { member in
            (name: member.name, value: member.value.withoutNulls)
          }))
    case .array(let elements): .array(elements.map(\.withoutNulls))
    default: self
    }
  }
}
