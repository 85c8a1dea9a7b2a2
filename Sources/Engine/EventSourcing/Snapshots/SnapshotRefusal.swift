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
