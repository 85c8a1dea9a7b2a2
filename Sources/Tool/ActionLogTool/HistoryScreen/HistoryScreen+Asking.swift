import ActionLog
import EventSourcing
import Platform
import TimeTravel

// Questions are answered on another thread, one at a time; the screen goes on.
extension HistoryScreen {
  /// Asks something. A question that is still open is dropped.
  ///
  /// - Parameters:
  ///   - text: What is asked, for the person who waits.
  ///   - question: Finds the answer. It may block, and ends when the options say that nobody wants it any more.
  ///   - learn: Takes what was found out, also when nobody wants the answer any more.
  ///   - take: Takes the answer, unless it is unwanted by then.
  func ask<Answer: Sendable>(
    _ text: String, _ question: @escaping @Sendable (ReplayOptions) throws -> Answer,
    learn: @escaping @MainActor (Answer) -> Void = { _ in },
    take: @escaping @MainActor (Result<Answer, any Error>) -> Void
  ) {
    leaveErrand()
    let errand = Errand(number: nextNumber(), text: text)
    self.errand = errand
    let (news, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let listening = Task {
      for await reached in news where self.errand?.number == errand.number && showsProgress {
        self.errand?.reached = reached
      }
    }
    asking = Task {
      let answer = await OffPool.run { () -> Result<Answer, any Error> in
        defer { continuation.finish() }
        var options = ReplayOptions()
        options.isCancelled = { errand.isUnwanted.withLock { flag in flag } }
        options.progress = { step in continuation.yield(step.revision) }
        return Result { try question(options) }
      }
      await listening.value
      if case .success(let answer) = answer { learn(answer) }
      guard self.errand?.number == errand.number else { return }
      self.errand = nil
      take(answer)
    }
  }

  /// Asks the history, from the states that are kept. Those that were folded for the answer are kept for the next question and for
  /// moves, also when nobody waited for it.
  ///
  /// - Parameters:
  ///   - text: What is asked, for the person who waits.
  ///   - question: As for ``ask(_:_:learn:take:)``.
  ///   - take: Takes the answer, unless it is unwanted by then.
  func askHistory<Answer: Sendable>(
    _ text: String, _ question: @escaping @Sendable (inout any WalkHandle, ReplayOptions) throws -> Answer,
    take: @escaping @MainActor (Result<Answer, any Error>) -> Void
  ) {
    let place = place
    ask(text) { options in
      var place = place
      let answer = Result { try place.ask { walk in try question(&walk, options) } }
      return (answer: answer, place: place)
    } learn: { [self] found in
      self.place.adoptStates(of: found.place)
    } take: { found in
      take(found.flatMap(\.answer))
    }
  }

  /// Drops the question that is open.
  ///
  /// - Returns: Whether there was one.
  @discardableResult func leaveErrand() -> Bool {
    guard let errand else { return false }
    errand.isUnwanted.withLock { flag in flag = true }
    self.errand = nil
    if blamed?.answer == nil { blamed = nil }
    return true
  }

  /// Waits until nothing is under way any more.
  func settled() async {
    // An answer can be the beginning of a way.
    await asking?.value
    await travelling?.value
    await filtering?.value
  }
}
