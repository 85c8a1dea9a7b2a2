import ActionLog
package import Platform
import TestSupport

/// A program that appends, synchronises, rolls, raises its schema, closes, dies and starts again at random, and what it
/// was told meanwhile.
///
/// It uses the calls that do their work on the calling thread, so that everything follows from the seed.
package struct SimulatedProgram {
  /// What it was told so far.
  package let knowledge = Locked(Knowledge())
  /// What it found wrong when it started: what a program does not find again that it was told of.
  package let flaws = Locked<[Flaw]>([])
  /// What it must find again when it starts: all that was written, unless a failed synchronisation can have taken it.
  package var levelBetweenLives = Knowledge.Level.written
  /// Whether calls can fail, so that an error is nothing strange.
  package var callsFail = false
  /// Whether some batches hold several units, so that one batch begins several segments.
  package var queuesSeveralUnits = false
  /// What happens to the log between the end of one life and the beginning of the next.
  package var betweenLives: @Sendable () -> Void = {}
  /// What it took for acknowledged although it was not: the controls, which must be caught.
  package enum Mistake: Sendable, CaseIterable {
    /// It takes what was written for durable.
    case acknowledgesBeforeSync
  }

  private var generator: SeededGenerator
  private let mistake: Mistake?
  private var schema = 1
  private var writer: LogWriter?
  /// What the level `interval` wants to be called, later.
  private let scheduled = Locked<[@Sendable () -> Void]>([])

  /// A program whose course follows from a seed.
  package init(seed: UInt64, mistake: Mistake? = nil) {
    generator = SeededGenerator(seed: seed)
    self.mistake = mistake
  }

  /// Does a number of random steps; errors end a writer's life as they would a program's.
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

  /// Whether a call that failed can be why the log gave an error: no call that fails makes a log damaged, or another one.
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

  /// Starts as a program does: opens the log, and looks at what became of what it does not know.
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

  /// - Returns: Whether the writer's life is over.
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
      // The units that were written are acknowledged, even where a later one of the batch was not.
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

/// What ``LogDraft/numbered(_:attempt:fill:)`` makes, as an action that an appender encodes.
private enum NumberedAction: Codable {
  case add(n: Int, a: Int, x: String)
}

extension Durability {
  /// Whether the program uses the call that returns when the device has the action.
  fileprivate var isSynchronous: Bool { self == .commit || self == .full }
}
