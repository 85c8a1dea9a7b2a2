package import ActionLog
package import JSONCoding
import Platform

/// The values of one line to redact, or of the base of a pruned log.
package struct RedactionTarget: Equatable, Sendable {
  /// The number of the line in the log, counted from 0; `nil` for the state in `base.json`.
  package var index: Int?
  /// The values to remove, none within another; none if the action is only to be skipped.
  package var replacements: [ValueReplacement]
  /// Whether replay skips the action.
  package var skips: Bool

  package init(index: Int?, replacements: [ValueReplacement], skips: Bool = false) {
    self.index = index
    self.replacements = replacements
    self.skips = skips
  }
}

/// The redacted lines of a log in memory, before anything is changed.
package struct PreparedRedaction: Sendable {
  /// The record, except for the reason.
  package var record: RedactRecord
  package var lineCount: Int
  /// The first revision whose state the redaction may change; `nil` if it names neither an action nor the state at revision 0.
  package private(set) var firstChangedRevision: Int?
  /// The strings and numbers that the redaction removes.
  package private(set) var removedTexts: Set<ExactName> = []
  /// The redacted lines, without line feeds, by the path of their segment and the offset of the old line.
  fileprivate var lines: [String: [Int: [UInt8]]] = [:]
  /// The new base, by its path.
  private var files: [String: [UInt8]] = [:]
  /// The lines of the record whose digest of a state is replaced by another one.
  private var restatedLines: Set<Int> = []
  private let activePath: String

  /// Whether lines of the last segment change. It has no action then once the lock is held, so that no new segment can be begun.
  var changesActiveSegment: Bool { lines[activePath] != nil }

  /// Reads a log and redacts lines of it.
  package init(of reader: LogReader, _ targets: [RedactionTarget]) throws(LogError) {
    let listing = try reader.listing()
    let first = try reader.firstLineIndex()
    var wanted: [Int: RedactionTarget] = [:]
    var ofBase: RedactionTarget?
    for target in targets {
      guard let index = target.index else {
        guard ofBase == nil else { throw LogError(.invalidArgument, "the base is named twice", path: reader.path) }
        ofBase = target
        continue
      }
      guard index >= first else {
        throw LogError(.invalidArgument, "line \(index) is before the beginning of the log", path: reader.path)
      }
      guard wanted.updateValue(target, forKey: index) == nil else {
        throw LogError(.invalidArgument, "line \(index) is named twice", path: reader.path)
      }
    }
    record = RedactRecord(reason: "", lines: [])
    lineCount = first
    activePath = listing.segments[listing.segments.count - 1].path
    var change: PruningChange?
    if let ofBase { change = try addBase(listing.base, ofBase, path: reader.path) }
    var records = try reader.records(from: 0)
    var found: [FoundRecord] = []
    while let record = try records.next() {
      let line = FoundRecord(record: record, index: lineCount, target: wanted.removeValue(forKey: lineCount))
      if line.target != nil || line.isStating { found.append(line) }
      lineCount += 1
    }
    for line in found where !line.isStating { try add(line, line.target) }
    try add(found.filter(\.isStating), listing.base, change, path: reader.path)
    record.lines.sort { one, other in one.index < other.index }
    if let missing = wanted.keys.min() {
      throw LogError(
        .invalidArgument, "there is no line \(missing): the log has the lines \(first)…\(lineCount - 1)",
        path: reader.path)
    }
  }

  /// A record that is redacted, or may have to be.
  private struct FoundRecord {
    var record: LogRecord
    var index: Int
    var target: RedactionTarget?

    /// Whether it states digests of others. It is redacted after all other lines, because its digests may be out of date then.
    var isStating: Bool { record.controlType == .redact || record.controlType == .prune }
  }

  private mutating func add(
    _ records: [FoundRecord], _ base: LogBase?, _ change: PruningChange?, path: String
  ) throws(LogError) {
    // An earlier record may name the same base, of a pruning that was interrupted and repeated.
    let current = change.flatMap { change in records.lastIndex { stating in change.concerns(stating.record) } }
    if change != nil, current == nil {
      throw LogError(
        .damaged, "no @prune record names base.json", path: path, advice: "Run \(.verify) for the report.")
    }
    var digests = ObsoleteDigests(
      of: records.map { stating in (stating.index, stating.record) },
      baseDigest: change == nil ? base.map { base in SHA256.hexadecimal(base.bytes) } : nil)
    for line in record.lines { digests.note(line) }
    if let base = record.base { digests.note(base.replacements, of: nil) }
    for (number, stating) in records.enumerated() {
      var target = stating.target
      if let change, number == current { target = change.target(stating.index, target) }
      if !PreparedRedaction.isPlain(stating.record) {
        target = try digests.complete(target, stating.record, stating.index, isRestated: number == current)
      }
      guard target != nil else { continue }
      try add(stating, target)
      digests.note(record.lines[record.lines.count - 1])
    }
  }

  /// Whether a line has no salt. A log can have such lines before others with salts.
  private static func isPlain(_ record: LogRecord) -> Bool {
    record.rawLine.form?.kind == .plain
  }

  /// The change of the `@prune` record that names a base which is redacted.
  private struct PruningChange {
    var oldDigest: String
    var newDigest: String
    var newState: String

    func concerns(_ record: LogRecord) -> Bool { PruneRecord(record)?.base?.sha256 == oldDigest }

    /// Adds the change to the values to redact in the record.
    func target(_ index: Int, _ other: RedactionTarget?) -> RedactionTarget {
      var target = other ?? RedactionTarget(index: index, replacements: [])
      for (name, digest) in [("sha256", newDigest), ("state", newState)] {
        let pointer = JSONPointer(["data", "base", name])
        target.replacements.removeAll { replacement in replacement.pointer == pointer }
        target.replacements.append(ValueReplacement(pointer, with: Array("\"\(digest)\"".utf8)))
      }
      return target
    }
  }

  private mutating func addBase(
    _ base: LogBase?, _ target: RedactionTarget, path: String
  ) throws(LogError) -> PruningChange {
    guard let base, !target.skips else {
      throw LogError(
        .invalidArgument, base == nil ? "the log was not pruned and has no base" : "only actions can be skipped",
        path: path, intact: "Nothing was changed.")
    }
    let redacted: (base: LogBase, replacements: [ValueReplacement])
    do throws(RedactionFault) { redacted = try base.replacing(target.replacements) } catch {
      throw LogError(
        .invalidArgument, error.message, path: path + "/" + LogFormat.baseName, intact: "Nothing was changed.")
    }
    let bytes = redacted.base.bytes
    guard bytes.count <= LogBase.limitBytes else {
      throw LogError(
        .beyondLimit, "the base would have \(bytes.count) bytes, and the limit is \(LogBase.limitBytes)", path: path,
        intact: "Nothing was changed.")
    }
    let digest = SHA256.hexadecimal(bytes)
    record.base = RedactRecord.Base(replacements: redacted.replacements, digest: digest)
    files[path + "/" + LogFormat.baseName] = bytes
    firstChangedRevision = base.revision
    removedTexts.formUnion(
      RedactedContent.texts(
        of: base.state,
        at: redacted.replacements.map { replacement in JSONPointer(Array(replacement.pointer.tokens.dropFirst())) }))
    return PruningChange(
      oldDigest: SHA256.hexadecimal(base.bytes), newDigest: digest, newState: SHA256.hexadecimal(redacted.base.state))
  }

  private mutating func add(_ line: FoundRecord, _ target: RedactionTarget?) throws(LogError) {
    guard let target else { return }
    let (found, index) = (line.record, line.index)
    let redacted: RedactedLine
    do throws(RedactionFault) {
      redacted = try RedactedLine(
        of: found.rawLine, replacing: target.replacements, skips: target.skips, by: lineCount)
    } catch {
      var code = LogError.Code.invalidArgument
      switch error {
      case .damaged: code = .damaged
      case .tooLong: code = .beyondLimit
      default: break
      }
      throw LogError(
        code, error.message(ofLine: index), path: found.place.path, line: found.place.line,
        byteOffset: found.place.byteOffset,
        revision: found.revision, intact: "Nothing was changed.")
    }
    guard let name = found.place.path.split(separator: "/").last, let segment = SegmentName.first(of: String(name))
    else {
      throw LogError(.notALog, "a single segment cannot be redacted", path: found.place.path)
    }
    record.lines.append(
      RedactRecord.Line(
        index: index, segment: segment, revision: found.revision, replacements: redacted.replacements,
        skips: redacted.skips, digest: redacted.digest))
    lines[found.place.path, default: [:]][found.place.byteOffset] = redacted.bytes
    if !found.isControl || found.controlType == .base {
      firstChangedRevision = min(firstChangedRevision ?? .max, found.revision)
    }
    if found.controlType == .digest, redacted.replacements.map(\.pointer) == [JSONPointer(["data", "state"])],
      redacted.replacements[0].json != PreparedRedaction.null
    {
      restatedLines.insert(index)
    }
    removedTexts.formUnion(RedactedContent.texts(of: found.rawLine, at: redacted.replacements.map(\.pointer)))
  }

  private static let null = Array("null".utf8)

  /// Splits targets for two records, if one would be too long. The first ones withdraw the digests of states that will change, so that
  /// none is of a state which no replay leads to, wherever the redaction is interrupted.
  func halves(of targets: [RedactionTarget]) -> [[RedactionTarget]] {
    func isRestated(_ target: RedactionTarget) -> Bool { target.index.map(restatedLines.contains) ?? false }
    let withdrawn = targets.filter(isRestated).map { target in
      RedactionTarget(
        index: target.index, replacements: [ValueReplacement(target.replacements[0].pointer, with: Self.null)])
    }
    let ordered = withdrawn + targets.filter { target in !isRestated(target) }
    return [Array(ordered[..<(ordered.count / 2)]), Array(ordered[(ordered.count / 2)...])]
  }

  /// Returns a file system in which the log is redacted, for reading it as it will be.
  package func overlay(on fileSystem: any LogFileSystem) -> any LogFileSystem {
    RedactedFileSystem(base: fileSystem, lines: lines, files: files)
  }
}

// MARK: - The log as it will be

/// A file system whose segments have redacted lines in place of the old ones. It cannot be written to.
///
/// It has no `HEAD`: that of the log describes the last segment as it is, and the lines in it may become shorter.
private struct RedactedFileSystem: ForwardingFileSystem {
  let base: any LogFileSystem
  let lines: [String: [Int: [UInt8]]]
  /// Files with other contents.
  let files: [String: [UInt8]]

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    guard access == .read else { throw .readOnly("open", path) }
    guard !isHead(path) else { throw FileSystemError(code: .notFound, operation: "open", path: path) }
    if let bytes = files[path] { return BytesFile(bytes, path: path) }
    let file = try base.open(path, for: .read)
    guard let lines = lines[path] else { return file }
    defer { file.close() }
    var bytes = try file.bytes(at: 0, count: file.size())
    // From the end, so that the offsets before stay valid.
    for (offset, line) in lines.sorted(by: { one, other in one.key > other.key }) {
      guard offset < bytes.count, let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) else {
        throw FileSystemError(code: .inputOutput, operation: "read", path: path)
      }
      bytes.replaceSubrange(offset..<end, with: line)
    }
    return BytesFile(bytes, path: path)
  }

  func status(of path: String) throws(FileSystemError) -> FileStatus? {
    isHead(path) ? nil : try base.status(of: path)
  }

  func names(in directory: String) throws(FileSystemError) -> [String] {
    try base.names(in: directory).filter { name in name != LogFormat.headName }
  }

  private func isHead(_ path: String) -> Bool { path.hasSuffix("/" + LogFormat.headName) }

  func basePath(toChange path: String, _ operation: String) throws(FileSystemError) -> String {
    throw .readOnly(operation, path)
  }
}
