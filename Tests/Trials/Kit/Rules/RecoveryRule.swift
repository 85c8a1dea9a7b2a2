package import ActionLog

/// The rules by which logs tell a torn tail from damage at the first bad record, from the simplest to the one of this
/// format.
package enum RecoveryRule: String, Sendable, CaseIterable {
  /// Cut there, whatever follows: SQLite's and Prometheus's write-ahead logs.
  case cut = "A"
  /// Refuse if a whole line follows.
  case anyWholeLine = "B"
  /// Refuse if a later line says that this one was durable.
  case synced = "C"
  /// Cut only what reaches the end or holds a zeroed sector: etcd.
  case sector = "D"
  /// Cut only if both C and D allow it.
  case syncedAndSector = "E"
  /// As E, and `HEAD` allows it: the rule of the format.
  case format = "F"

  /// What it does, for a table.
  package var summary: String {
    switch self {
    case .cut: "cut there (SQLite WAL, Prometheus)"
    case .anyWholeLine: "refuse if any whole line follows"
    case .synced: "refuse if a later line says `synced` ≥ *k*"
    case .sector: "cut only if a zeroed sector or the end of the file is inside (etcd)"
    case .syncedAndSector: "cut only if both C and D allow it"
    case .format: "as E, and `HEAD` allows it: **the rule of the format**"
    }
  }

  /// Whether the rule takes an end for damaged.
  package func refuses(_ evidence: TailEvidence) -> Bool {
    if self == .format {
      if case .damaged = evidence.verdict() { return true }
      return false
    }
    if !evidence.hasHeader { return true }
    if self == .cut { return false }
    if evidence.breaksChain { return true }
    let isSynced = evidence.highestSyncedBeyond.map { synced in synced > evidence.lastSeq } ?? false
    let isBetween = evidence.nextCompleteLine != nil && !evidence.hasZeroedSector
    return switch self {
    case .cut, .format: false
    case .anyWholeLine: evidence.nextCompleteLine != nil
    case .synced: isSynced
    case .sector: isBetween
    case .syncedAndSector: isSynced || isBetween
    }
  }
}
