public import ActionLog
public import JSONCoding

/// Checkpoints and proofs of a log, as the commands `checkpoint` and `prove` make them.
///
/// Both are made next to a writer, too, and cover the lines that it has synced. Signatures are those of the commands.
public enum LogEvidence {
  /// Makes a checkpoint of all durable lines of a log, and stores it with the tiles of the tree in the log's directory, in `proofs`.
  ///
  /// The text proves something later if it is kept out of reach of everybody who can write to the log.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - fileSystem: The file system.
  /// - Returns: The origin, the number of lines and the root of their Merkle tree, each with a line feed. If a checkpoint of as many
  ///   lines was signed before, its signatures follow.
  /// - Throws: `LogError` with code `damaged` if the log does not lead to its newest stored checkpoint; `locked` if a writer holds the
  ///   log and has synced nothing, or another program makes a checkpoint; `notFound`, `notALog`, `noSpace`, `inputOutput`.
  /// - Complexity: O(length of the lines after the newest stored checkpoint); O(length of the log) if there is none.
  public static func checkpoint(
    at path: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> String {
    let log = try LogReader.openWhole(at: path, fileSystem, toBe: "covered by a checkpoint")
    let store = EvidenceStore(log: log.path, fileSystem: fileSystem)
    guard let (new, _) = try store.newCheckpoint(origin: store.origin()) else { throw store.nothingSynced }
    return String(decoding: try store.store(new).encoded, as: UTF8.self)
  }

  /// Proves that an action is in a log.
  ///
  /// - Parameters:
  ///   - revision: The revision of the action.
  ///   - path: The log's directory.
  ///   - hidden: Values that the proof leaves out of the line of a redactable log, for instance `/data/name`.
  ///   - checkpoint: The text of the checkpoint with which the proof ends; `nil` for the newest stored one.
  ///   - fileSystem: The file system.
  /// - Returns: The proof, which `LogVerifier.verify(proof:checkpoint:)` checks without the log.
  /// - Throws: `LogError` with code `invalidArgument` if there is no checkpoint, it does not cover the action, it is of another log, or
  ///   a hidden value does not exist; `revisionOutOfRange`, `pruned`, `damaged`, `notFound`, `notALog`, `inputOutput`.
  /// - Complexity: O(length of the segment of the action + lines of the tree after it, 32 bytes each).
  public static func proof(
    ofAction revision: Int, at path: String, hiding hidden: [JSONPointer] = [], checkpoint: String? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> [UInt8] {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "proved")
    let store = EvidenceStore(log: reader.path, fileSystem: fileSystem)
    let named = if let checkpoint { try SignedCheckpoint(kept: checkpoint) } else { try store.newestCheckpoint() }
    guard let named else {
      throw LogError(
        .invalidArgument, "the log has no checkpoint that proofs could end with", path: path,
        advice: "Make one: \(.operation("checkpoint", "LOG")).")
    }
    try store.requireOrigin(of: named.checkpoint)
    let line = try store.line(ofAction: revision, in: reader)
    return try store.proof(ofLine: line.bytes, index: line.index, hiding: hidden, checkpoint: named).encoded
  }
}

extension SignedCheckpoint {
  /// Parses a checkpoint that the caller has kept.
  init(kept text: String) throws(LogError) {
    do throws(EvidenceFault) { try self.init(parsing: text.utf8) } catch {
      throw LogError(.invalidArgument, "the text is not a checkpoint: \(error.message)")
    }
  }
}

extension LogVerifier {
  /// Verifies the proof of a line without its log.
  ///
  /// - Parameters:
  ///   - proof: The proof, by `LogEvidence.proof(ofAction:at:hiding:checkpoint:fileSystem:)` or the command `prove`.
  ///   - checkpoint: The text of the checkpoint that was kept. Its signatures, and those in the proof, are not checked.
  /// - Returns: The line, and the locations in it that are not proved, because the values there were removed or hidden.
  /// - Throws: `LogError` with code `damaged` if the line is not proved, or the proof ends with another checkpoint; `invalidArgument` if
  ///   one of the two is malformed.
  /// - Complexity: O(length of the proof).
  public static func verify(
    proof: [UInt8], checkpoint: String
  ) throws(LogError) -> (line: LogRecord, unproved: [JSONPointer]) {
    let kept = try SignedCheckpoint(kept: checkpoint).checkpoint
    let parsed: LineProof
    do throws(EvidenceFault) { parsed = try LineProof(parsing: proof) } catch {
      throw LogError(.invalidArgument, error.message)
    }
    do throws(EvidenceFault) {
      try parsed.checkpoint.checkpoint.requireSame(as: kept)
      return (try parsed.record(), try parsed.verify())
    } catch {
      throw LogError(.damaged, error.message)
    }
  }
}
