package import ActionLog
import ActionLogTesting
package import Platform
import TestSupport

/// A program that appends, syncs, rolls, raises its schema, closes, crashes and restarts at random, and its knowledge.
///
/// It uses only calls that work on the calling thread, so that the seed determines everything.
package struct SimulatedProgram {
  /// Its knowledge so far.
  package let knowledge = Locked(Knowledge())
  /// Flaws found at a restart: known actions that are missing.
  package let flaws = Locked<[Flaw]>([])
  /// The actions that it must find at a restart: all written ones, unless a failed sync can have discarded them.
  package var levelBetweenLives = Knowledge.Level.written
  /// Whether calls can fail, so that errors are expected.
  package var callsFail = false
  /// Whether some batches contain several units, so that one batch begins several segments.
  package var queuesSeveralUnits = false
  /// A function that is called with the log between two runs of the program.
  package var betweenLives: @Sendable () -> Void = {}
  /// A mistake of a control, which must be caught.
  package enum Mistake: Sendable, CaseIterable {
    /// It treats written actions as durable.
    case acknowledgesBeforeSync
  }

  private var generator: SeededGenerator
  private let mistake: Mistake?
  private var schema = 1
  private var redactable = false
  /// Decides about salts, so that the other choices of a seed do not depend on them.
  private var saltGenerator: SeededGenerator
  private var writer: LogWriter?
  /// The delayed work of the level `interval`.
  private let scheduled = Locked<[@Sendable () -> Void]>([])

  /// Creates a program that is determined by a seed.
  package init(seed: UInt64, mistake: Mistake? = nil) {
    generator = SeededGenerator(seed: seed)
    saltGenerator = SeededGenerator(seed: seed ^ 0x5A17)
    self.mistake = mistake
  }

  /// Performs a number of random steps. Errors end a writer's life like that of a real program.
  package mutating func run(_ log: SimulatedLog, steps: Int) {
    for _ in 0..<steps {
      do throws(LogError) {
        if writer == nil { writer = try start(log) }
        if let writer, try step(writer) { end() }
      } catch {
        if !isExplained(error) { note(.refused(error)) }
        if error.code == .failed || error.code == .closed { end() }
      }
    }
    end()
  }

  /// Whether a failed call can explain an error: no failed call damages or replaces a log.
  private func isExplained(_ error: LogError) -> Bool {
    let ofTheLog: Set<LogError.Code> = [
      .damaged, .notALog, .wrongModel, .schemaTooNew, .unsupportedFormat, .locked,
    ]
    return callsFail && !ofTheLog.contains(error.code)
  }

  private func note(_ flaw: Flaw) {
    flaws.withLock { flaws in flaws.append(flaw) }
  }

  private mutating func end() {
    writer?.abandon()
    writer = nil
    scheduled.withLock { scheduled in scheduled = [] }
  }

  /// Opens the log and resolves the attempts whose result is unknown.
  private mutating func start(_ log: SimulatedLog) throws(LogError) -> LogWriter {
    betweenLives()
    if Int.random(in: 0..<8, using: &generator) == 0 { schema += 1 }
    if !redactable, Int.random(in: 0..<3, using: &saltGenerator) == 0 {
      redactable = true
      // A program that asks for salts is often a newer one. Both changes in one opening once lost the schema.
      if Bool.random(using: &saltGenerator) { schema += 1 }
    }
    let levels: [Durability] = [.written, .written, .synced, .full, .interval(.seconds(1)), .queued]
    let level = levels[Int.random(in: 0..<levels.count, using: &generator)]
    let scheduled = scheduled
    let writer = try log.open(schema: schema, durability: level, redactable: redactable) { body in
      scheduled.withLock { scheduled in scheduled.append(body) }
    }
    do throws(LogError) {
      let found = try log.actions()
      if found.count != writer.opening.lastRevision {
        note(.unverified("the writer found \(writer.opening.lastRevision) actions, a reader \(found.count)"))
      }
      let flaw = knowledge.withLock { knowledge in
        defer { knowledge.noteFound(found.map(\.attempt)) }
        return knowledge.flaw(in: found, atLeast: levelBetweenLives)
      }
      if let flaw { note(flaw) }
    } catch {
      writer.abandon()
      throw error
    }
    return writer
  }

  /// - Returns: Whether the writer's life has ended.
  private mutating func step(_ writer: LogWriter) throws(LogError) -> Bool {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0:
      try writer.closeNow()
      noteSynced(writer.status.lastRevision)
      return true
    case 1:
      return true
    case 2..<7:
      noteSynced(try writer.syncNow().revision)
    case 7, 8:
      let due = scheduled.withLock { scheduled in
        defer { scheduled = [] }
        return scheduled
      }
      for body in due { body() }
      noteSynced(writer.status.syncedRevision)
    default:
      if queuesSeveralUnits, Bool.random(using: &generator) { try appendUnits(writer) } else { try append(writer) }
    }
    return false
  }

  /// Queues several units and writes them as one batch.
  private mutating func appendUnits(_ writer: LogWriter) throws(LogError) {
    let first = writer.status.lastRevision + 1
    let numbers = first..<(first + Int.random(in: 2...12, using: &generator))
    let offered = knowledge.withLock { knowledge in
      numbers.map { number in (number: number, attempt: knowledge.offer(number)) }
    }
    defer {
      // The written units are acknowledged, even if a later unit of the batch failed.
      let status = writer.status
      let written = offered.filter { number, _ in number <= status.writtenRevision }
      noteWritten(written)
      noteSynced(min(status.syncedRevision, first + written.count - 1))
    }
    do throws(LogError) {
      try queue(offered, writer)
      if writer.durability.isSynchronous || Bool.random(using: &generator) {
        try writer.syncNow()
      } else {
        _ = try writer.writeNow([])
      }
    } catch {
      if error.code == .noSpace || error.code == .rejected {
        let writtenRevision = writer.status.writtenRevision
        knowledge.withLock { knowledge in
          knowledge.noteRejected(offered.filter { number, _ in number > writtenRevision })
        }
      }
      throw error
    }
  }

  private mutating func queue(_ offered: [(number: Int, attempt: Int)], _ writer: LogWriter) throws(LogError) {
    var appender = ActionAppender<NumberedAction>(writer)
    for (number, attempt) in offered {
      let fill = [0, 10, 300, 1_500].randomElement(using: &generator) ?? 0
      do {
        try appender.buffer(.add(n: number, a: attempt, s: schema, x: String(repeating: "q", count: fill)))
      } catch let error as LogError {
        throw error
      } catch {
        preconditionFailure("numbers and text are encoded without errors: \(error)")
      }
    }
  }

  private mutating func append(_ writer: LogWriter) throws(LogError) {
    let first = writer.status.lastRevision + 1
    let numbers = first..<(first + Int.random(in: 1...4, using: &generator))
    let offered = knowledge.withLock { knowledge in
      numbers.map { number in (number: number, attempt: knowledge.offer(number)) }
    }
    let sizes = [0, 0, 10, 10, 300, 1_500, 6_000]
    let drafts = offered.map { number, attempt in
      LogDraft.numbered(
        number, attempt: attempt, fill: sizes[Int.random(in: 0..<sizes.count, using: &generator)], schema: schema)
    }
    do throws(LogError) {
      if writer.durability.isSynchronous || Int.random(in: 0..<4, using: &generator) == 0 {
        let receipt = try writer.appendNow(drafts)
        noteWritten(offered)
        noteSynced(receipt.revision)
      } else {
        _ = try writer.writeNow(drafts)
        noteWritten(offered)
        if mistake == .acknowledgesBeforeSync { noteSynced(first + offered.count - 1) }
      }
    } catch {
      if error.code == .noSpace || error.code == .rejected {
        knowledge.withLock { knowledge in knowledge.noteRejected(offered) }
      }
      throw error
    }
  }

  private func noteWritten(_ offered: [(number: Int, attempt: Int)]) {
    knowledge.withLock { knowledge in knowledge.noteWritten(offered) }
  }

  private func noteSynced(_ revision: Int) {
    knowledge.withLock { knowledge in knowledge.noteSynced(through: revision) }
  }
}

/// The action of ``LogDraft/numbered(_:attempt:fill:schema:)``, encoded by an appender.
private enum NumberedAction: Codable {
  case add(n: Int, a: Int, s: Int, x: String)
}

extension Durability {
  /// Whether the program uses the call that returns when the action is durable.
  fileprivate var isSynchronous: Bool { self == .synced || self == .full }
}

/// A flaw of a log after a failure.
package enum Flaw: Sendable, CustomStringConvertible {
  /// Acknowledged actions are missing, and the log opens without an error.
  case lost(found: Int, acknowledged: Int)
  /// Actions are missing without a broken guarantee, but the disk proves that there were more.
  case overlooked(found: Int, acknowledged: Int, proof: String)
  /// An action differs from the acknowledged one, or was never offered.
  case wrongAction(Int, String)
  /// The log opens but does not verify.
  case unverified(String)
  /// The log was refused.
  case refused(LogError)
  /// An unexpected error.
  case failed(String)

  /// Whether the engine only refused the log: nothing is lost or wrongly accepted.
  package var isRefusal: Bool {
    if case .refused(let error) = self { return error.code == .damaged }
    return false
  }

  /// Whether acknowledged actions are missing.
  package var isLoss: Bool {
    if case .lost = self { return true }
    return false
  }

  /// A description of the flaw.
  package var description: String {
    switch self {
    case .lost(let found, let acknowledged): "lost: the log ends at \(found), \(acknowledged) were acknowledged"
    case .overlooked(let found, let acknowledged, let proof):
      "overlooked: the log ends at \(found), \(acknowledged) were acknowledged, and \(proof)"
    case .wrongAction(let number, let reason): "wrong: action \(number): \(reason)"
    case .unverified(let text): "does not verify: \(text)"
    case .refused(let error): "refused: \(error)"
    case .failed(let text): "failed: \(text)"
    }
  }
}

/// A mistake of an engine when it opens a log. It is applied to the log before the real engine opens it, in controls of
/// the trials that damage durable data.
package enum RecoveryMistake: String, Sendable, CaseIterable {
  /// It ignores `HEAD`.
  case ignoresHead = "ignores HEAD"
  /// It truncates at the first invalid line, whatever follows and whatever `HEAD` records.
  case cutsAtFirstBadLine = "truncates at the first invalid line"

  /// Applies the mistake to a disk.
  func make(on disk: MemoryFileSystem) throws(FileSystemError) {
    let evidence = try DurableEvidence(of: disk)
    if try disk.status(of: SimulatedLog.path + "/HEAD") != nil { try disk.remove(SimulatedLog.path + "/HEAD") }
    guard self == .cutsAtFirstBadLine, let path = evidence.activePath, evidence.goodBytes > 0 else { return }
    try disk.setContents(Array(try disk.contents(of: path).prefix(evidence.goodBytes)), of: path)
  }
}
