public import ActionLog
import JSONCoding

/// A state with its revision, from which a replay can start.
///
/// On disk it is one line of JSON:
/// `{"seq":…,"time":…,"log":…,"model":…,"schema":…,"reducer":…,"prev":…,"state":…,"crc":…}`, with the state in canonical
/// form and the same checksum suffix as a record. It names everything that must fit before it may be used; a snapshot
/// that does not fit is refused with the reason, and costs time only.
public struct Snapshot: Equatable, Sendable {
  /// The revision of the state.
  public var revision: Int
  /// When it was taken. A recorder gives the time of the action at ``revision``, so that a recording can be made again
  /// byte for byte, however late the file is written.
  public var time: LogTime
  /// The log's identifier.
  public var log: String
  /// The model's name.
  public var model: String
  /// The model's schema version.
  public var schema: Int
  /// The identity of the code that folded the state: a fingerprint, and what the code made of the log's first actions
  /// where no fingerprint of the sources says more.
  public var reducer: String
  /// The checksum of the action's line at ``revision``, or of the log's first line at revision 0.
  public var checksum: UInt32
  /// The state in canonical form.
  public var state: [UInt8]

  /// Makes a snapshot, for instance to write it with ``SnapshotStore/publish(_:)``.
  ///
  /// Nothing is checked. A snapshot that does not fit its log is refused when it is to be used.
  ///
  /// - Parameters:
  ///   - revision: The revision of the state, from 0.
  ///   - time: When it was taken.
  ///   - log: The log's identifier, as `LogHeader.log` has it.
  ///   - model: The model's name.
  ///   - schema: The model's schema version.
  ///   - reducer: The identity of the code, as another snapshot by the same code has it.
  ///   - checksum: The checksum of the action's line at `revision`, or of the log's first line at revision 0.
  ///   - state: The state in canonical form, as ``History/canonicalState(at:options:)`` returns it.
  public init(
    revision: Int, time: LogTime, log: String, model: String, schema: Int, reducer: String, checksum: UInt32,
    state: [UInt8]
  ) {
    self.revision = revision
    self.time = time
    self.log = log
    self.model = model
    self.schema = schema
    self.reducer = reducer
    self.checksum = checksum
    self.state = state
  }

  /// The largest file that is read: a bound on memory, a thousand times what the samples need.
  static let limitBytes = 1 << 30
  /// States may be nested as deep as a record's data, and stand one level deeper here.
  static let maximumDepth = 129
}

/// What a snapshot must say of itself to be used.
struct SnapshotExpectation {
  var log: String
  var model: String
  var schema: Int
}

extension Snapshot {
  /// The file's bytes.
  ///
  /// - Complexity: O(size of the state).
  var bytes: [UInt8] {
    var line = headerBytes
    line.reserveCapacity(line.count + state.count + CommitMark.sizeBytes)
    line += state
    CommitMark.append(to: &line)
    return line
  }

  /// The file's bytes up to the state.
  var headerBytes: [UInt8] {
    var line: [UInt8] = []
    line += "{\"seq\":\(revision),\"time\":\"\(time)\",\"log\":".utf8
    JSONText.appendString(log, to: &line)
    line += ",\"model\":".utf8
    JSONText.appendString(model, to: &line)
    line += ",\"schema\":\(schema),\"reducer\":".utf8
    JSONText.appendString(reducer, to: &line)
    line += ",\"prev\":\"\(ChecksumDigits.text(checksum))\",\"state\":".utf8
    return line
  }

  /// Reads a file's bytes.
  ///
  /// - Throws: ``SnapshotRefusal/Reason/damaged``.
  /// - Complexity: O(length of `bytes`).
  init(parsing bytes: [UInt8], revision: Int, path: String) throws(SnapshotRefusal) {
    func damaged(_ message: String) -> SnapshotRefusal {
      SnapshotRefusal(revision: revision, path: path, reason: .damaged, message: message)
    }
    guard CommitMark.isIntact(bytes) else { throw damaged("checksum mismatch") }
    let header: Header
    let state: [UInt8]
    do {
      let root = try JSONTape(parsing: bytes.dropLast(), maximumDepth: Self.maximumDepth).root
      header = try StrictJSONDecoder(maximumDepth: Self.maximumDepth).decode(Header.self, from: root)
      guard let node = root["state"] else { throw damaged("it has no state") }
      state = Array(node.bytes)
    } catch let refusal as SnapshotRefusal {
      throw refusal
    } catch {
      throw damaged("not a snapshot: \(error)")
    }
    try self.init(header, state: state, revision: revision, path: path)
  }

  /// Takes what a file says.
  ///
  /// - Throws: ``SnapshotRefusal/Reason/damaged``.
  init(_ header: Header, state: [UInt8], revision: Int, path: String) throws(SnapshotRefusal) {
    func damaged(_ message: String) -> SnapshotRefusal {
      SnapshotRefusal(revision: revision, path: path, reason: .damaged, message: message)
    }
    guard header.seq == revision else { throw damaged("it says that it stands at revision \(header.seq)") }
    guard let time = LogTime(parsing: header.time) else { throw damaged("its time is not a time") }
    guard let checksum = ChecksumDigits.parse(Array(header.prev.utf8)) else {
      throw damaged("its 'prev' is not a checksum")
    }
    self.init(
      revision: revision, time: time, log: header.log, model: header.model, schema: header.schema,
      reducer: header.reducer, checksum: checksum, state: state)
  }

  /// Says whether the snapshot is one of this log and this model.
  func check(against expected: SnapshotExpectation, path: String) throws(SnapshotRefusal) {
    func refusal(_ reason: SnapshotRefusal.Reason, _ message: String) -> SnapshotRefusal {
      SnapshotRefusal(revision: revision, path: path, reason: reason, message: message)
    }
    if log != expected.log { throw refusal(.otherLog, "it was taken of log \(log)") }
    if model != expected.model { throw refusal(.otherModel, "it was taken of model '\(model)'") }
    if schema != expected.schema { throw refusal(.otherSchema, "it was taken under schema \(schema)") }
  }
}

extension Snapshot {
  /// The members of a snapshot but for its state.
  struct Header: Decodable {
    var seq: Int
    var time: String
    var log: String
    var model: String
    var schema: Int
    var reducer: String
    var prev: String
  }
}

/// The file of a snapshot, taken apart without reading the state in it.
///
/// A state is most of the file. Loading one reads it once, where it lies.
package struct SnapshotFile {
  /// What the snapshot says of itself; its state is left out.
  package let snapshot: Snapshot

  private let bytes: [UInt8]
  private let revision: Int
  private let path: String
  /// Where the state lies, if the file is written as ``Snapshot`` writes it.
  private let state: Range<Int>?

  /// A header holds seven members: names, a time, two checksums.
  private static let headerLimitBytes = 4_096
  private static let stateName = Array(",\"state\":".utf8)

  /// Checks a file and reads its header.
  ///
  /// - Throws: ``SnapshotRefusal/Reason/damaged``.
  /// - Complexity: O(length of `bytes`), for the checksum.
  init(_ bytes: [UInt8], revision: Int, path: String) throws(SnapshotRefusal) {
    self.bytes = bytes
    self.revision = revision
    self.path = path
    guard CommitMark.isIntact(bytes) else {
      throw SnapshotRefusal(revision: revision, path: path, reason: .damaged, message: "checksum mismatch")
    }
    guard let name = Self.place(of: Self.stateName, in: bytes.prefix(Self.headerLimitBytes)),
      let header = Self.header(bytes[..<name.lowerBound])
    else {
      snapshot = try Snapshot(parsing: bytes, revision: revision, path: path)
      state = nil
      return
    }
    let found = try Snapshot(header, state: [], revision: revision, path: path)
    // A second member of a name may hide among those that are not known. Only what is written as the writer writes it cannot
    // have one.
    guard bytes[..<name.upperBound].elementsEqual(found.headerBytes) else {
      snapshot = try Snapshot(parsing: bytes, revision: revision, path: path)
      state = nil
      return
    }
    snapshot = found
    state = name.upperBound..<max(name.upperBound, bytes.count - CommitMark.sizeBytes)
  }

  /// The checksum at the end of the file.
  package var seal: [UInt8] { Array(bytes.suffix(CommitMark.sizeBytes)) }

  /// Decodes the state.
  ///
  /// - Throws: ``SnapshotRefusal/Reason/undecodable``; ``SnapshotRefusal/Reason/damaged`` when it is no JSON.
  /// - Complexity: O(size of the state).
  package func decodeState<State>(by coder: StateCoder<State>) throws(SnapshotRefusal) -> State {
    if let state {
      do {
        return try coder.decode(from: bytes[state], maximumDepth: Snapshot.maximumDepth - 1)
      } catch {
        // Whether the file or the state is at fault is found out below.
      }
    }
    let strict = try Snapshot(parsing: bytes, revision: revision, path: path)
    do {
      return try coder.decode(from: strict.state[...], maximumDepth: Snapshot.maximumDepth)
    } catch {
      throw SnapshotRefusal(
        revision: revision, path: path, reason: .undecodable, message: "its state does not decode: \(error)")
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

  /// The members in front of the state; `nil` when something else stands there too.
  private static func header(_ bytes: ArraySlice<UInt8>) -> Snapshot.Header? {
    do {
      return try StrictJSONDecoder().decode(Snapshot.Header.self, from: bytes + [UInt8(ascii: "}")])
    } catch {
      return nil
    }
  }
}

/// A snapshot that was not used, and why. Not using one costs time only. With ``Reason/otherState`` it is one that should not be used,
/// and is.
public struct SnapshotRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// Why a snapshot cannot be used.
  public enum Reason: String, Sendable, CaseIterable {
    /// The file, or the directory of the snapshots, cannot be read.
    case unreadable
    /// The bytes do not check, or are not a snapshot.
    case damaged
    /// It was taken of another log.
    case otherLog
    /// It was taken of another model.
    case otherModel
    /// It was taken under another schema version.
    case otherSchema
    /// It was folded by other code.
    case otherReducer
    /// The log holds another action at its revision, or none.
    case otherHistory
    /// Its state does not decode.
    case undecodable
    /// Its state is not the one that a digest in the log names. Only ``SnapshotStore/examine(against:)`` says so: a replay compares
    /// no state with a digest before it begins with it.
    case otherState
  }

  /// The revision that the file is named for; 0 for the directory.
  public var revision: Int
  /// The file, or the directory.
  public var path: String
  /// Why it was not used.
  public var reason: Reason
  /// The details, in words.
  public var message: String

  /// Makes a refusal from its parts.
  public init(revision: Int, path: String, reason: Reason, message: String) {
    self.revision = revision
    self.path = path
    self.reason = reason
    self.message = message
  }

  /// For instance `snapshot not used: animals/snapshots/0000000000001000.json: checksum mismatch`.
  public var description: String {
    "\(reason == .otherState ? "wrong snapshot" : "snapshot not used"): \(path): \(message)"
  }
}
