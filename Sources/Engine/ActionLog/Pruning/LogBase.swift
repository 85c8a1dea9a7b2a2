internal import JSONCoding
package import Platform

/// The state that a pruned log begins with, and its position in the checksum chain: the contents of `base.json`.
///
/// The file is one line of JSON with the members of a snapshot and some of its own, always in this order:
/// `{"seq":…,"time":…,"log":…,"model":…,"schema":…,"reducer":…,"prev":…,"first":…,"lines":…,"link":…,"synced":…,"tree":[…],
/// "state":…,"crc":…}`. The state is a source of truth like the one in `@base`: no replay examines it. Segments before ``first`` are
/// not part of the log, whether or not their files exist.
public struct LogBase: Equatable, Sendable {
  /// The revision of the state, at least 1: the last action before the log begins.
  public var revision: Int
  /// The time of that action.
  public var time: LogTime
  /// The identifier of the log.
  public var log: String
  /// The name of the model.
  public var model: String
  /// The schema of the state.
  public var schema: Int
  /// The identity of the code that folded the state, as in a snapshot.
  public var reducer: String
  /// The checksum of the line of the action at ``revision``: the member `prev`.
  package var checksum: UInt32
  /// The index of the log's first line, counted from 0: the number of lines before it.
  package var lineCount: Int
  /// The checksum of the line before the log's first line.
  package var link: UInt32
  package var synced: Int
  /// The hashes of the complete subtrees over the lines before the log's first line, largest first.
  package var tree: [SHA256Digest]
  /// The state, in JSON.
  public var state: [UInt8]

  package init(
    revision: Int, time: LogTime, log: String, model: String, schema: Int, reducer: String, checksum: UInt32,
    lineCount: Int, link: UInt32, synced: Int, tree: [SHA256Digest], state: [UInt8]
  ) {
    (self.revision, self.time, self.log, self.model, self.schema) = (revision, time, log, model, schema)
    (self.reducer, self.checksum, self.lineCount, self.link) = (reducer, checksum, lineCount, link)
    (self.synced, self.tree, self.state) = (synced, tree, state)
  }

  /// The first action of the log, which names its first segment.
  public var first: Int { revision + 1 }

  package static let limitBytes = LogFormat.snapshotLimitBytes
  /// The state may be nested as deeply as the data of a record, one level below the root.
  private static let depthLimit = LogFormat.depthLimit + 1
}

// MARK: - Bytes

extension LogBase {
  package var bytes: [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(state.count + 1_024)
    line += #"{"seq":\#(revision),"time":"\#(time)","log":"#.utf8
    JSONText.appendString(log, to: &line)
    line += #","model":"#.utf8
    JSONText.appendString(model, to: &line)
    line += #","schema":\#(schema),"reducer":"#.utf8
    JSONText.appendString(reducer, to: &line)
    line += #","prev":"\#(ChecksumDigits.text(checksum))","first":\#(first),"lines":\#(lineCount)"#.utf8
    line += #","link":"\#(ChecksumDigits.text(link))","synced":\#(synced),"tree":["#.utf8
    for (index, hash) in tree.enumerated() {
      line += "\(index == 0 ? "" : ",")\"\(Base64.text(hash))\"".utf8
    }
    line += #"],"state":"#.utf8
    line += state
    CommitMark.append(to: &line)
    return line
  }

  /// Parses the bytes of a file.
  ///
  /// - Returns: The base, whose ``bytes`` are the same.
  package init(parsing bytes: [UInt8]) throws(LogBaseFault) {
    guard CommitMark.isIntact(bytes) else { throw LogBaseFault("checksum mismatch") }
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: bytes.dropLast(), maximumDepth: Self.depthLimit).root } catch {
      throw LogBaseFault("it is not valid JSON: \(error)")
    }
    do throws(RecordMemberError) { try self.init(root) } catch {
      throw LogBaseFault("its member '\(error.name)' is missing or invalid")
    }
    // Other members, white space, or another order: nothing of the file is ignored.
    guard self.bytes == bytes else { throw LogBaseFault("it does not have the form that 'prune' writes") }
  }

  private init(_ root: JSONTape.Node) throws(RecordMemberError) {
    revision = try root.number("seq", from: 1)
    time = try root.time("time")
    log = try root.text("log")
    guard LogHeader.isLogID(log) else { throw RecordMemberError("log") }
    model = try root.text("model")
    guard (1...LogFormat.modelLimitBytes).contains(model.utf8.count) else { throw RecordMemberError("model") }
    schema = try root.number("schema", from: 1)
    reducer = try root.text("reducer")
    checksum = try root.checksum("prev")
    guard try root.number("first", from: 2) == revision + 1 else { throw RecordMemberError("first") }
    // Each action has a line, and the first line is a header.
    lineCount = try root.number("lines", from: revision + 1)
    link = try root.checksum("link")
    synced = try root.number("synced", from: 0)
    guard synced <= revision else { throw RecordMemberError("synced") }
    tree = []
    // A node without elements has none.
    var elements = root["tree"]?.elements.makeIterator()
    while let element = elements?.next() {
      guard tree.count < lineCount.nonzeroBitCount, let hash = element.stringBytes().flatMap({ Base64.digest($0) })
      else {
        throw RecordMemberError("tree")
      }
      tree.append(hash)
    }
    // The complete subtrees over n leaves are the bits of n.
    guard tree.count == lineCount.nonzeroBitCount else { throw RecordMemberError("tree") }
    guard let value = root["state"] else { throw RecordMemberError("state") }
    state = Array(value.bytes)
  }
}

package struct LogBaseFault: Error {
  package var message: String

  init(_ message: String) {
    self.message = message
  }
}

// MARK: - Redaction

extension LogBase {
  /// Returns the base with other values in its state.
  ///
  /// - Parameter replacements: The values, by pointers that begin with `/state`, none within another.
  /// - Returns: The base, and the replacements in the order of the state, with the defaults filled in.
  package func replacing(
    _ replacements: [ValueReplacement]
  ) throws(RedactionFault) -> (base: LogBase, replacements: [ValueReplacement]) {
    let pointers = replacements.map(\.pointer)
    for pointer in pointers where pointer.tokens.first != "state" { throw .notAllowed(pointer.excerpt) }
    try PointerTree.checkOverlaps(of: pointers)
    var redacted = self
    let done = try RedactedContent.replace(replacements, named: "state", in: &redacted.state)
    return (redacted, done)
  }
}

// MARK: - In a log

extension LogBase {
  /// The line before the first line of the log.
  package var lastLine: ChainState.Link { ChainState.Link(revision: revision, crc: link, synced: synced) }

  /// Reads the base of a log.
  ///
  /// - Parameter known: A base that was read before. It is returned if the file has its length and its checksum, so that a
  ///   follower does not parse the state again and again.
  static func read(
    _ path: String, _ fileSystem: any LogFileSystem, known: KnownLogBase?
  ) throws(LogError) -> KnownLogBase {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      let file = try fileSystem.open(path, for: .read)
      defer { file.close() }
      let size = try file.size()
      guard size <= limitBytes else { throw FileSystemError(code: .fileTooLarge, operation: "read", path: path) }
      if let known, known.sizeBytes == size {
        let mark = try file.bytes(at: size - known.mark.count, count: known.mark.count)
        if mark == known.mark { return known }
      }
      bytes = try file.bytes(at: 0, count: size)
    } catch {
      if error.code == .notARegularFile || (error.code == .fileTooLarge && error.errorNumber == 0) {
        throw damage(error.code == .fileTooLarge ? "it is too long" : "it is not a regular file", path: path)
      }
      throw LogError.files(error, "the base of the log cannot be read", path: path)
    }
    do throws(LogBaseFault) { return KnownLogBase(try LogBase(parsing: bytes), bytes) } catch {
      throw damage(error.message, path: path)
    }
  }

  private static func damage(_ message: String, path: String) -> LogError {
    LogError(
      .damaged, "the base of the pruned log is damaged: \(message)", path: path,
      intact: "The actions after it are not affected, but no state can be rebuilt without it.",
      advice: "Restore base.json from a backup, or the archived segments (\(.restoringArchive)).")
  }

  /// The error for a log whose first line does not follow the base.
  static func misfit(_ error: LogError) -> LogError {
    var error = error
    error.message = "base.json does not fit the log's first segment: \(error.message)"
    error.advice = .sentences("One of the two was replaced: restore it from a backup.", .fullReport)
    return error
  }
}

/// A base that was read, with the values that identify its file.
package struct KnownLogBase: Sendable {
  let base: LogBase
  let sizeBytes: Int
  let mark: [UInt8]

  init(_ base: LogBase, _ bytes: [UInt8]) {
    self.base = base
    sizeBytes = bytes.count
    mark = Array(bytes.suffix(CommitMark.sizeBytes))
  }
}
