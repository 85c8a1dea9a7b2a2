public import ActionLog
import JSONCoding

/// A state with its revision, from which a replay can start.
///
/// On disk it is one line of JSON:
/// `{"seq":…,"time":…,"log":…,"model":…,"schema":…,"reducer":…,"prev":…,"state":…,"crc":…}`. The state is in canonical form, and the
/// line ends with the same checksum as a record. The snapshot of a projection also has `projection` and `projectionVersion`, after
/// `schema`. The other members identify the log, the model and the code that the snapshot
/// belongs to. A snapshot that does not match is refused with the reason; the replay then takes longer.
///
/// The member `version` is the version of this format. Version 1 is written without it.
public struct Snapshot: Equatable, Sendable {
  /// The revision of the state.
  public var revision: Int
  /// The time at which it was taken. A recorder uses the time of the action at ``revision``, so that a repeated recording gives the
  /// same bytes whenever the file is written.
  public var time: LogTime
  /// The log's identifier.
  public var log: String
  /// The model's name.
  public var model: String
  /// The model's schema version.
  public var schema: Int
  /// The projection that the state is of; `nil` for a state of the model.
  public var projection: ProjectionIdentity?
  /// The fingerprint of the code that folded the state; with a suffix if the model has none of its sources.
  public var reducer: String
  /// The checksum of the action's line at ``revision``, or of the log's first line at revision 0.
  package var checksum: UInt32
  /// The number of the line of the newest completed redaction before the fold; `nil` if the log had none.
  package var redaction: Int?
  /// The state in canonical form.
  public var state: [UInt8]

  func of(_ state: [UInt8], at revision: Int, _ time: LogTime, _ checksum: UInt32) -> Snapshot {
    var snapshot = self
    (snapshot.state, snapshot.revision, snapshot.time, snapshot.checksum) = (state, revision, time, checksum)
    return snapshot
  }

  /// The version of the format that is written, and the only one that is read.
  static let version = 1
  /// The largest file that is read: a thousand times the size that the samples need.
  static let limitBytes = LogFormat.snapshotLimitBytes
  /// States may be nested as deeply as a record's data; in a snapshot they are one level deeper.
  static let maximumDepth = 129
}

extension Snapshot {
  var bytes: [UInt8] {
    var line = headerBytes
    line.reserveCapacity(line.count + state.count + CommitMark.sizeBytes)
    line += state
    CommitMark.append(to: &line)
    return line
  }

  var headerBytes: [UInt8] {
    var line: [UInt8] = []
    line += "{\"seq\":\(revision),\"time\":\"\(time)\",\"log\":".utf8
    JSONText.appendString(log, to: &line)
    line += ",\"model\":".utf8
    JSONText.appendString(model, to: &line)
    line += ",\"schema\":\(schema)".utf8
    if let projection {
      line += ",\"projection\":".utf8
      JSONText.appendString(projection.name, to: &line)
      line += ",\"projectionVersion\":\(projection.version)".utf8
    }
    line += ",\"reducer\":".utf8
    JSONText.appendString(reducer, to: &line)
    line += ",\"prev\":\"\(ChecksumDigits.text(checksum))\"".utf8
    if let redaction { line += ",\"redact\":\(redaction)".utf8 }
    line += ",\"state\":".utf8
    return line
  }

  init(parsing bytes: [UInt8], revision: Int, path: String) throws(SnapshotRefusal) {
    func damaged(_ message: String) -> SnapshotRefusal {
      SnapshotRefusal(.damaged, message, path: path, revision: revision)
    }
    guard CommitMark.isIntact(bytes) else { throw damaged("checksum mismatch") }
    let root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: bytes.dropLast(), maximumDepth: Self.maximumDepth).root
    } catch {
      throw damaged("not a snapshot: \(error)")
    }
    // First: the other members of another version are unknown.
    try Self.checkVersion(root["version"], revision: revision, path: path)
    guard let state = root["state"] else { throw damaged("it has no state") }
    try self.init(root, state: Array(state.bytes), revision: revision, path: path)
  }

  /// Checks that the format is the one that this program reads. A snapshot without the member is of version 1.
  private static func checkVersion(_ member: JSONTape.Node?, revision: Int, path: String) throws(SnapshotRefusal) {
    guard let member, member.int() != version else { return }
    let found = String(decoding: member.bytes, as: UTF8.self)
    throw SnapshotRefusal(
      .otherVersion, "it is of another version: \(found.prefix(20)), and this program reads version \(version)",
      path: path, revision: revision)
  }

  fileprivate init(
    _ header: JSONTape.Node, state: [UInt8], revision: Int, path: String
  ) throws(SnapshotRefusal) {
    func damaged(_ message: String) -> SnapshotRefusal {
      SnapshotRefusal(.damaged, message, path: path, revision: revision)
    }
    let found = header["seq"]?.int()
    guard found == revision else { throw damaged(found.map { found in "its 'seq' is \(found)" } ?? "it has no 'seq'") }
    do throws(RecordMemberError) {
      var projection: ProjectionIdentity?
      if header["projection"] != nil || header["projectionVersion"] != nil {
        projection = ProjectionIdentity(
          name: try header.text("projection"), version: try header.number("projectionVersion", from: 0))
      }
      self.init(
        revision: revision, time: try header.time("time"), log: try header.text("log"), model: try header.text("model"),
        schema: try header.number("schema", from: 0), projection: projection, reducer: try header.text("reducer"),
        checksum: try header.checksum("prev"),
        redaction: try header["redact"] == nil ? nil : header.number("redact", from: 0), state: state)
    } catch {
      throw damaged("its '\(error.name)' is missing or has another type")
    }
  }

  func check(
    log: String, model: String, schema: Int, projection: ProjectionIdentity?, path: String
  ) throws(SnapshotRefusal) {
    func refusal(_ reason: SnapshotRefusal.Code, _ message: String) -> SnapshotRefusal {
      SnapshotRefusal(reason, message, path: path, revision: revision)
    }
    if self.log != log { throw refusal(.otherLog, "it was taken of log \(self.log)") }
    if self.projection != projection {
      throw refusal(.otherProjection, "it was taken of \(self.projection?.description ?? "the model '\(self.model)'")")
    }
    if self.model != model { throw refusal(.otherModel, "it was taken of model '\(self.model)'") }
    if self.schema != schema { throw refusal(.otherSchema, "it was taken under schema \(self.schema)") }
  }
}

extension Snapshot {
  func check(against redactions: LogRedactions, path: String) throws(SnapshotRefusal) {
    let newer: LogRedactions.Newer?
    do throws(LogError) { newer = try redactions.newest(affecting: revision, after: redaction) } catch {
      throw Snapshot.refusal(of: self, error, path: path)
    }
    guard let newer else { return }
    let message =
      switch newer {
      case .recorded(let entry): "it was taken before the redaction in \(entry.path):\(entry.line + 1)"
      case .pruned: "it was taken before a redaction whose record was pruned"
      }
    throw SnapshotRefusal(.redacted, message, path: path, revision: revision)
  }

  static func refusal(of snapshot: Snapshot, _ error: LogError, path: String) -> SnapshotRefusal {
    SnapshotRefusal(
      .otherHistory, "the redactions of the log cannot be read: \(error)", path: path, revision: snapshot.revision)
  }
}

/// A snapshot's file whose header is parsed and whose state is not.
///
/// The state is most of the file. Decoding reads it once, in place.
package struct SnapshotFile {
  /// The snapshot; its state is empty if the file has the form that ``Snapshot`` writes.
  package let snapshot: Snapshot

  private let bytes: [UInt8]
  private let revision: Int
  private let path: String
  /// The position of the state, if the file has the form that ``Snapshot`` writes.
  private let state: Range<Int>?

  /// A bound on the size of the header, which has ten members at most: names, a time, a checksum.
  private static let headerLimitBytes = 4_096
  private static let stateName = Array(",\"state\":".utf8)

  /// Checks a file and parses its header.
  init(_ bytes: [UInt8], revision: Int, path: String) throws(SnapshotRefusal) {
    self.bytes = bytes
    self.revision = revision
    self.path = path
    guard CommitMark.isIntact(bytes) else {
      throw SnapshotRefusal(.damaged, "checksum mismatch", path: path, revision: revision)
    }
    // Unknown members may include a second member of a known name, or a version. The bytes that the writer writes have neither.
    if let name = Self.place(of: Self.stateName, in: bytes.prefix(Self.headerLimitBytes)),
      let found = Self.snapshot(bytes[..<name.lowerBound], revision: revision, path: path),
      bytes[..<name.upperBound].elementsEqual(found.headerBytes)
    {
      snapshot = found
      state = name.upperBound..<max(name.upperBound, bytes.count - CommitMark.sizeBytes)
    } else {
      snapshot = try Snapshot(parsing: bytes, revision: revision, path: path)
      state = nil
    }
  }

  package func decodeState<State>(by coder: StateCoder<State>) throws(SnapshotRefusal) -> State {
    if let state {
      do {
        return try coder.decode(from: bytes[state], maximumDepth: Snapshot.maximumDepth - 1)
      } catch {
        // The strict parser below finds out whether the file or the state is at fault.
      }
    }
    let strict = try Snapshot(parsing: bytes, revision: revision, path: path)
    do {
      return try coder.decode(from: strict.state[...], maximumDepth: Snapshot.maximumDepth)
    } catch {
      throw SnapshotRefusal(
        .undecodable, "its state does not decode: \(CodingFault(error))", path: path, revision: revision)
    }
  }
}

extension SnapshotFile {
  private static func place(of name: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard bytes.count >= name.count else { return nil }
    return (bytes.startIndex...bytes.endIndex - name.count)
      .first { start in bytes[start..<start + name.count].elementsEqual(name) }
      .map { start in start..<start + name.count }
  }

  /// The snapshot without its state, from the members before it; `nil` if they are not valid.
  private static func snapshot(_ bytes: ArraySlice<UInt8>, revision: Int, path: String) -> Snapshot? {
    do {
      return try Snapshot(
        JSONTape(parsing: bytes + [UInt8(ascii: "}")]).root, state: [], revision: revision, path: path)
    } catch {
      return nil
    }
  }
}

/// A snapshot that was not used, with the reason. Not using a snapshot costs only time.
///
/// ``Code/otherState`` is different: a replay uses such a snapshot, and should not.
public struct SnapshotRefusal: DescribedError, Equatable, Sendable {
  /// The reasons why a snapshot cannot be used.
  public enum Code: String, Sendable, CaseIterable {
    /// The file or the directory of the snapshots cannot be read.
    case unreadable
    /// The checksum does not match, or the bytes are not a snapshot.
    case damaged
    /// It has a version of the snapshot format that this program does not read.
    case otherVersion
    /// It was taken of another log.
    case otherLog
    /// It was taken of another model.
    case otherModel
    /// It was taken under another schema version.
    case otherSchema
    /// It was taken of another projection, of another version of it, or of the model instead.
    case otherProjection
    /// It was folded by other code.
    case otherReducer
    /// The log holds another action at its revision, or none.
    case otherHistory
    /// It was folded before values were redacted that it may hold.
    case redacted
    /// Its state does not decode.
    case undecodable
    /// Its state does not match the digest in the log. Only `action-log verify` reports this: a replay does not compare
    /// a snapshot with a digest before using it.
    case otherState
  }

  /// The revision in the file's name; 0 for the directory.
  public var revision: Int
  /// The file, or the directory.
  public var path: String
  /// The reason why it was not used.
  public var code: Code
  /// The details, for people.
  public var message: String

  package init(_ code: Code, _ message: String, path: String, revision: Int) {
    self.revision = revision
    self.path = path
    self.code = code
    self.message = message
  }

  /// The path and the revision.
  public var location: ErrorLocation { ErrorLocation(path: path, revision: revision) }

  /// For instance `snapshot not used: animals/snapshots/0000000000001000.json: checksum mismatch`.
  public var headline: String {
    "\(code == .otherState ? "wrong snapshot" : "snapshot not used"): \(path): \(message)"
  }
}
