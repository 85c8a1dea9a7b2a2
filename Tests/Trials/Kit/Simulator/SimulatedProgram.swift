import ActionLog
package import Platform
import TestSupport

/// A program that appends, syncs, rolls, raises its schema, closes, dies and starts again at random, and the
/// acknowledgements that it received.
///
/// It uses calls that work on the calling thread, so that the run follows from the seed.
package struct SimulatedProgram {
  /// The acknowledgements so far.
  package let knowledge = Locked(Knowledge())
  /// A flaw that the program found at a start: acknowledged actions that are missing.
  package let flaws = Locked<[Flaw]>([])
  /// The contents that the program must find at a start: everything written that no failed sync can have discarded.
  package var levelBetweenLives = Knowledge.Level.written
  /// Whether calls can fail, so that errors are expected.
  package var callsFail = false
  /// Whether some batches hold several units, so that one batch begins several segments.
  package var queuesSeveralUnits = false
  /// Called between the end of one life and the start of the next.
  package var betweenLives: @Sendable () -> Void = {}
  /// Planted mistakes about acknowledgements: the controls, which must be caught.
  package enum Mistake: Sendable, CaseIterable {
    /// Treats written actions as durable.
    case acknowledgesBeforeSync
  }

  private var generator: SeededGenerator
  private let mistake: Mistake?
  private var schema = 1
  private var writer: LogWriter?
  /// The delayed calls of the level `interval`.
  private let scheduled = Locked<[@Sendable () -> Void]>([])

  /// Creates a program whose course follows from a seed.
  package init(seed: UInt64, mistake: Mistake? = nil) {
    generator = SeededGenerator(seed: seed)
    self.mistake = mistake
  }

  /// Runs a number of random steps. An error ends a writer's life as it would end a program's.
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

  /// Whether a failed call explains an error: no failed call makes a log damaged or replaces it.
  private func isExplained(_ error: LogError) -> Bool {
    let ofTheLog: Set<LogError.Code> = [
      .damaged, .tornTail, .notALog, .wrongModel, .schemaTooNew, .unsupportedFormat, .locked,
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

  /// Starts the program: opens the log, and resolves the attempts with unknown results.
  private mutating func start(_ log: SimulatedLog) throws(LogError) -> LogWriter {
    betweenLives()
    if Int.random(in: 0..<8, using: &generator) == 0 { schema += 1 }
    let levels: [Durability] = [.flush, .flush, .commit, .full, .interval(.seconds(1)), .memory]
    let level = levels[Int.random(in: 0..<levels.count, using: &generator)]
    let scheduled = scheduled
    let writer = try log.open(schema: schema, durability: level) { body in
      scheduled.withLock { scheduled in scheduled.append(body) }
    }
    do throws(LogError) {
      let found = try log.actions()
      if found.count != writer.opening.lastSeq {
        note(.unverified("the writer found \(writer.opening.lastSeq) actions, a reader \(found.count)"))
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
      noteSynced(writer.status.lastSeq)
      return true
    case 1:
      return true
    case 2..<7:
      noteSynced(try writer.sync().seq)
    case 7, 8:
      let due = scheduled.withLock { scheduled in
        defer { scheduled = [] }
        return scheduled
      }
      for body in due { body() }
      noteSynced(writer.status.syncedSeq)
    default:
      if queuesSeveralUnits, Bool.random(using: &generator) { try appendUnits(writer) } else { try append(writer) }
    }
    return false
  }

  /// Queues several units and writes them as one batch.
  private mutating func appendUnits(_ writer: LogWriter) throws(LogError) {
    let first = writer.status.lastSeq + 1
    let numbers = first..<(first + Int.random(in: 2...12, using: &generator))
    let offered = knowledge.withLock { knowledge in
      numbers.map { number in (number: number, attempt: knowledge.offer(number)) }
    }
    defer {
      // Written units are acknowledged, even if a later unit of the batch was not written.
      let status = writer.status
      let written = offered.filter { number, _ in number <= status.writtenSeq }
      noteWritten(written)
      noteSynced(min(status.syncedSeq, first + written.count - 1))
    }
    do throws(LogError) {
      try queue(offered, writer)
      if writer.durability.isSynchronous || Bool.random(using: &generator) {
        try writer.sync()
      } else {
        _ = try writer.write([])
      }
    } catch {
      if error.code == .noSpace || error.code == .rejected {
        let writtenSeq = writer.status.writtenSeq
        knowledge.withLock { knowledge in
          knowledge.noteRejected(offered.filter { number, _ in number > writtenSeq })
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
        try appender.buffer(.add(n: number, a: attempt, x: String(repeating: "q", count: fill)))
      } catch let error as LogError {
        throw error
      } catch {
        preconditionFailure("numbers and text are encoded without errors: \(error)")
      }
    }
  }

  private mutating func append(_ writer: LogWriter) throws(LogError) {
    let first = writer.status.lastSeq + 1
    let numbers = first..<(first + Int.random(in: 1...4, using: &generator))
    let offered = knowledge.withLock { knowledge in
      numbers.map { number in (number: number, attempt: knowledge.offer(number)) }
    }
    let sizes = [0, 0, 10, 10, 300, 1_500, 6_000]
    let drafts = offered.map { number, attempt in
      LogDraft.numbered(number, attempt: attempt, fill: sizes[Int.random(in: 0..<sizes.count, using: &generator)])
    }
    do throws(LogError) {
      if writer.durability.isSynchronous || Int.random(in: 0..<4, using: &generator) == 0 {
        let receipt = try writer.commit(drafts)
        noteWritten(offered)
        noteSynced(receipt.seq)
      } else {
        _ = try writer.write(drafts)
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

  private func noteSynced(_ seq: Int) {
    knowledge.withLock { knowledge in knowledge.noteSynced(through: seq) }
  }
}

/// Returns the action of ``LogDraft/numbered(_:attempt:fill:)`` for an appender.
private enum NumberedAction: Codable {
  case add(n: Int, a: Int, x: String)
}

extension Durability {
  /// Whether the program uses the call that returns when the action is durable.
  fileprivate var isSynchronous: Bool { self == .commit || self == .full }
}
