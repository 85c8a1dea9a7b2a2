import ActionLog
import JSONCoding

extension History {
  /// Reads every action of the log, and reports for each type how well the model reads it.
  ///
  /// An action is *fine* if it decodes, and encodes again to its recorded or lifted form. The log is folded as well, because an
  /// action that the reducer refuses is as unusable as an unknown type.
  ///
  /// - Parameter isCancelled: Called about every 1 024 actions.
  /// - Throws: `LogError` if the log cannot be read; `CancellationError`. An action that the model cannot read is not an error.
  /// - Complexity: O(length of the log).
  public func compatibility(isCancelled: @Sendable () -> Bool = { Task.isCancelled }) throws -> CompatibilityReport {
    var examination = CompatibilityExamination<M>(decoder: decoder)
    var batches = try reader.batches(from: 0)
    var seen = 0
    while let batch = try batches.nextBatch() {
      for (index, entry) in batch.entries.enumerated() where !entry.isControl {
        examination.examine(
          StoredRecord(
            revision: entry.revision, type: batch.type(at: index), data: batch.data(at: index), schema: entry.schema))
        seen += 1
        if seen & 1_023 == 0, isCancelled() { throw CancellationError() }
      }
      batches.recycle(batch)
    }
    examination.finish()
    if examination.report.grade != .impossible, seen > 0 { try examination.fold(self) }
    return examination.report
  }
}

/// An action in its recorded form.
struct StoredRecord {
  var revision: Int
  var type: String
  var data: ArraySlice<UInt8>
  var schema: Int
}

/// The examination of every record of a log.
struct CompatibilityExamination<M: Model> {
  private(set) var report: CompatibilityReport
  private let decoder: RecordDecoder<M>
  private let coder = ActionCoder<M.Action>()
  private var places: [Place: Int] = [:]
  /// The upcasters that lifted an action: their types, and the schemas at which their steps begin.
  private var used: Set<Place> = []
  /// The types under which the present model would record the log's actions.
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

  /// Adds the results that need the complete log.
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

  /// Folds the log and adds the error, if there is one.
  mutating func fold(_ history: History<M>) throws {
    var options = ReplayOptions()
    options.usesSnapshots = false
    do {
      _ = try history.replay(options: options)
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
    guard finding.grade > report.entries[index].grade else { return }
    report.entries[index].grade = finding.grade
    report.entries[index].reason = finding.reason
    report.entries[index].revision = record.revision
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
      let became = "becomes " + lifted.map(\.type).joined(separator: ", ")
      worst.reason = worst.reason.isEmpty ? became : became + "; " + worst.reason
    }
    return worst
  }

  /// Grades an action of the present schema.
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

/// The location in the values of an action at which decoding failed, and the change that an upcaster could make.
struct DecodingFaultPlace {
  let words: String
  let remedy: CompatibilityReport.Remedy

  init(_ error: any Error, type: String) {
    // The values of `ui.list.onTap` are at the path `ui`, `_0`, `list`, `_0`, `onTap`.
    let depth =
      type == "_" || type == "_0" ? 0 : 2 * type.split(separator: ".", omittingEmptySubsequences: false).count - 1
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      let place = context.codingPath.dropFirst(depth).map(\.stringValue)
      words = "'\(Self.text(place + [key.stringValue]))' is missing"
      remedy = place.isEmpty ? .add(name: key.stringValue) : .rewrite
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      let place = context.codingPath.dropFirst(depth).map(\.stringValue)
      words = "'\(Self.text(place))' is of another type: \(context.debugDescription)"
      remedy = place.first.map { name in .change(name: name) } ?? .rewrite
    default:
      words = "\(error)"
      remedy = .rewrite
    }
  }

  private static func text(_ place: [String]) -> String { JSONPointer.excerpt(of: place.joined(separator: ".")) }
}
