package import ActionLog
import ActionLogTesting
import Platform
import TestSupport

/// Compares recovery rules on the same ends of the same logs: how often a rule refuses the result of a crash, and how
/// often it silently truncates acknowledged actions.
package struct RuleTable: Sendable {
  /// A kind of end of a log.
  package enum Case: String, Sendable, CaseIterable {
    case crash = "power cut: refused"
    case staleBlocks = "power cut, stale blocks: refused"
    case flippedBit = "+ a flipped bit in durable data: silent loss"
    case zeroedSector = "+ a zeroed sector in durable data: silent loss"
    case cutOff = "+ durable data cut off: silent loss"

    /// Whether refusing is the error that is counted, instead of truncating.
    var countsRefusals: Bool { self == .crash || self == .staleBlocks }
  }

  /// The number of ends of a case, and the number of wrong decisions of each rule.
  package struct Cell: Sendable {
    package var states = 0
    package var wrong: [RecoveryRule: Int] = [:]

    /// The share of wrong decisions of a rule, 0…1.
    package func share(_ rule: RecoveryRule) -> Double {
      states == 0 ? 0 : Double(wrong[rule] ?? 0) / Double(states)
    }
  }

  /// The results of each case.
  package private(set) var cells: [Case: Cell] = [:]

  /// Creates an empty table.
  package init() {}

  /// Runs a program of about thirty batches in one segment, and checks an end of every kind before each of its calls.
  package mutating func add(seed: UInt64) {
    let table = Locked(self)
    let disk = MemoryFileSystem()
    var program = SimulatedProgram(seed: seed)
    let knowledge = program.knowledge
    let numbers = Locked(UInt64(0))
    let door = FaultyFileSystem(disk) { call in
      guard call.operation == .append || call.operation == .sync, call.path.hasSuffix(".jsonl") else { return }
      let synced = knowledge.withLock { knowledge in knowledge.syncedRevision }
      var moment = SeededGenerator(seed: seed &* 1_000_003 &+ numbers.withLock { number in number })
      Self.writeBackHead(of: disk, &moment)
      for kind in Case.allCases {
        let number = numbers.withLock { number in
          number += 1
          return number
        }
        var generator = SeededGenerator(seed: seed &* 1_000_003 &+ number)
        guard let evidence = Self.end(of: disk, kind, call.path, &generator) else { continue }
        table.withLock { table in table.note(kind, evidence, synced) }
      }
    }
    program.run(SimulatedLog(door, segmentLimitBytes: 1 << 24), steps: 40)
    self = table.withLock { table in table }
  }

  /// Adds the results of another table.
  package mutating func add(_ other: RuleTable) {
    for (kind, cell) in other.cells {
      cells[kind, default: Cell()].states += cell.states
      for (rule, count) in cell.wrong { cells[kind, default: Cell()].wrong[rule, default: 0] += count }
    }
  }

  private mutating func note(_ kind: Case, _ evidence: TailEvidence, _ synced: Int) {
    cells[kind, default: Cell()].states += 1
    for rule in RecoveryRule.allCases {
      let refuses = rule.refuses(evidence)
      let isWrong = kind.countsRefusals ? refuses : !refuses && evidence.lastRevision < synced
      if isWrong { cells[kind, default: Cell()].wrong[rule, default: 0] += 1 }
    }
  }

  /// Writes `HEAD` back at random. `HEAD` is not synced, but the system writes it back periodically, so it is some
  /// batches old when the power fails.
  private static func writeBackHead(of disk: MemoryFileSystem, _ generator: inout SeededGenerator) {
    guard Int.random(in: 0..<3, using: &generator) == 0 else { return }
    do {
      let path = SimulatedLog.path + "/HEAD"
      if try disk.status(of: path) != nil { try disk.setContents(try disk.contents(of: path), of: path) }
    } catch {
      preconditionFailure("the disk in memory fails only when it is told to: \(error)")
    }
  }

  /// Cuts the power, applies the damage of the case, and collects the evidence.
  private static func end(
    of disk: MemoryFileSystem, _ kind: Case, _ path: String, _ generator: inout SeededGenerator
  ) -> TailEvidence? {
    do {
      let durableCount = try disk.durableContents(of: path).count
      let model = CrashModel(
        seed: generator.next(), lostData: kind == .staleBlocks ? .staleBlocks : .zeros)
      let left = disk.crash(model)
      if !kind.countsRefusals {
        guard durableCount > 1_024, try left.status(of: path) != nil else { return nil }
        var bytes = try left.contents(of: path)
        guard bytes.count >= durableCount else { return nil }
        switch kind {
        case .flippedBit: bytes[Int.random(in: 0..<durableCount, using: &generator)] ^= 1
        case .zeroedSector:
          let sector = Int.random(in: 0..<durableCount / 512, using: &generator) * 512
          for index in sector..<sector + 512 { bytes[index] = 0 }
        case .cutOff: bytes.removeLast(bytes.count - Int.random(in: 512..<durableCount, using: &generator))
        case .crash, .staleBlocks: break
        }
        try left.setContents(bytes, of: path)
      }
      return try TailEvidence.gathered(of: SimulatedLog.path, left)
    } catch {
      return nil
    }
  }

  /// The table in Markdown.
  package var markdown: String {
    let kinds = Case.allCases
    var lines = ["| rule at the first bad line *k* | " + kinds.map(\.rawValue).joined(separator: " | ") + " |"]
    lines.append("|---|" + String(repeating: "---|", count: kinds.count))
    for rule in RecoveryRule.allCases {
      let shares = kinds.map { kind in Self.percent(cells[kind]?.share(rule) ?? 0) }
      lines.append("| \(rule.rawValue) \(rule.summary) | " + shares.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  /// For instance `4.37 %`.
  private static func percent(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let fraction = String(hundredths % 100)
    return "\(hundredths / 100).\(String(repeating: "0", count: 2 - fraction.count))\(fraction) %"
  }
}

/// Rules that distinguish a torn tail from damage at the first invalid record, from the simplest to the rule of this
/// format.
package enum RecoveryRule: String, Sendable, CaseIterable {
  /// Truncate there, whatever follows: the write-ahead logs of SQLite and Prometheus.
  case cut = "A"
  /// Refuse if a complete line follows.
  case anyWholeLine = "B"
  /// Refuse if a later line records that this one was durable.
  case synced = "C"
  /// Truncate only if the invalid part reaches the end or contains a zeroed sector: etcd.
  case sector = "D"
  /// Truncate only if both C and D allow it.
  case syncedAndSector = "E"
  /// Like E, and `HEAD` must allow it: the rule of the format.
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

  /// Whether the rule treats an end as damage.
  package func refuses(_ evidence: TailEvidence) -> Bool {
    if self == .format {
      if case .damaged = evidence.verdict() { return true }
      return false
    }
    if !evidence.hasHeader { return true }
    if self == .cut { return false }
    if evidence.breaksChain { return true }
    let isSynced = evidence.highestSyncedBeyond.map { synced in synced > evidence.lastRevision } ?? false
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
