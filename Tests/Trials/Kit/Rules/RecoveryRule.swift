package import ActionLog

/// Rules for distinguishing a torn tail from damage at the first bad record, from the simplest one to that of the
/// format.
package enum RecoveryRule: String, Sendable, CaseIterable {
  /// Truncate, whatever follows: the write-ahead logs of SQLite and Prometheus.
  case cut = "A"
  /// Refuse if a complete line follows.
  case anyWholeLine = "B"
  /// Refuse if a later line records that this one was durable.
  case synced = "C"
  /// Truncate only a range that reaches the end or contains a zeroed sector: etcd.
  case sector = "D"
  /// Truncate only if both C and D allow it.
  case syncedAndSector = "E"
  /// As E, and `HEAD` allows it: the rule of the format.
  case format = "F"

  /// A description for a table.
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

  /// Whether the rule classifies an end as damaged.
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
