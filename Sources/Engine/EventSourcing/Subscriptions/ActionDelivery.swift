import ActionLog
import Platform

/// An action that is ready to be delivered.
struct PreparedAction<Payload: Sendable>: Sendable {
  var record: LogRecord
  var position: SubscriptionPosition
  /// `nil` if it cannot be prepared.
  var payload: Payload?
  var fault: (any Error)?
  var key: DeliveryKey?

  func attempt(_ earlier: Int) -> DeliveryAttempt<Payload> {
    guard let payload else { preconditionFailure("an action without a payload is not delivered") }
    return DeliveryAttempt(record: record, payload: payload, number: earlier + 1, position: position)
  }
}

/// The end of the attempts to deliver an action.
enum DeliveryOutcome: Sendable {
  case handled
  case canceled
  case stop(DeliveryFailure)
  case skip(DeliveryFailure)
}

extension DeliveryLoop {
  /// Returns the action to deliver for an item; `nil` if there is none.
  func prepare(_ item: DurableFeed.Item, _ session: DeliverySession) -> PreparedAction<Payload>? {
    guard let record = item.record else { return nil }
    return prepare(record, session.position(after: item))
  }

  private func prepare(_ record: LogRecord, _ position: SubscriptionPosition) -> PreparedAction<Payload>? {
    do {
      guard let payload = try plan.prepare(record) else { return nil }
      return PreparedAction(record: record, position: position, payload: payload, key: plan.key?(payload))
    } catch {
      return PreparedAction(record: record, position: position, fault: error)
    }
  }

  /// Attempts to deliver an action, as often as the policy says.
  func settle(
    _ action: PreparedAction<Payload>, _ session: DeliverySession, firstError: (any Error)? = nil, earlier: Int? = nil
  ) async -> DeliveryOutcome {
    let before = earlier ?? session.keeper.attempts(before: action.position.revision)
    var attempt = 0
    while true {
      if Task.isCancelled { return .canceled }
      attempt += 1
      let error: any Error
      if let fault = action.fault ?? (attempt == 1 ? firstError : nil) {
        error = fault
      } else {
        do {
          try await call([action.attempt(before + attempt - 1)], session)
          return .handled
        } catch let thrown {
          // No attempt follows. The action is delivered again.
          if Task.isCancelled { return .canceled }
          error = (thrown as? PartialDelivery)?.error ?? thrown
        }
      }
      let failure = DeliveryFailure(
        revision: action.record.revision, type: action.record.type, attempts: before + attempt, error: error,
        record: action.record)
      session.report?(.didFail(revision: failure.revision, attempts: failure.attempts, error))
      switch await decision(on: failure, attempt: attempt, isFinal: action.fault != nil) {
      case .stop:
        session.keeper.note(failure)
        return .stop(failure)
      case .skip: return .skip(failure)
      case .retry(let delay):
        if earlier == nil { await session.keeper.noteAndSave(failure) }
        do { try await environment.sleep(delay) } catch { return .canceled }
      }
    }
  }

  private func decision(on failure: DeliveryFailure, attempt: Int, isFinal: Bool) async -> FailureDecision {
    if case .custom(let decide) = configuration.onFailure { return await decide(failure) }
    // An action that does not decode does not decode the next time, either.
    if !isFinal, attempt < configuration.retries.attempts {
      return .retry(after: configuration.retries.delay(after: attempt, random: environment.random()))
    }
    if case .skip = configuration.onFailure { return .skip }
    return .stop
  }

  /// Calls the handler. It runs to its end, also if this task is canceled.
  func call(_ attempts: [DeliveryAttempt<Payload>], _ session: DeliverySession) async throws {
    let begin = session.report.map { _ in environment.uptime() }
    let result = await Self.uncanceled { [plan] in try await plan.handle(attempts) }.result
    if let begin, let report = session.report { reportHandled(attempts, result, since: begin, report) }
    try result.get()
  }

  private func reportHandled(
    _ attempts: [DeliveryAttempt<Payload>], _ result: Result<Void, any Error>, since begin: Duration,
    _ report: SubscriptionReport
  ) {
    var count = attempts.count
    if case .failure(let error) = result { count = min((error as? PartialDelivery)?.count ?? 0, count) }
    guard count > 0 else { return }
    report(
      .didDeliver(
        revision: attempts[count - 1].record.revision, actions: count, attempt: attempts[0].number,
        duration: environment.uptime() - begin))
  }

  /// Starts a task that the cancellation of this one does not reach.
  ///
  /// It begins on this thread where the system can do that: waking another thread takes longer than a short handler (benchmark B1).
  private static func uncanceled(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    if #available(macOS 26, macCatalyst 26, iOS 26, tvOS 26, visionOS 26, watchOS 26, *) {
      Task.immediate { try await body() }
    } else {
      Task { try await body() }
    }
  }

  func stopped(_ failure: DeliveryFailure) -> EventSourcingError {
    let times = failure.attempts == 1 ? "once" : "\(failure.attempts) times"
    return EventSourcingError(
      .deliveryFailed, "the subscription '\(name)' could not deliver an action (\(failure.type)), attempted \(times)",
      path: log,
      revision: failure.revision,
      intact: "Everything before it was handled.",
      advice: "The next start begins with this action; to go past it, let the subscription park actions that fail.",
      underlying: failure.error)
  }

  func park(_ failure: DeliveryFailure, _ session: DeliverySession) async throws {
    let action = ParkedAction(
      revision: failure.revision, time: environment.now(), attempts: failure.attempts, error: "\(failure.error)",
      line: failure.record.rawLine)
    try await session.thread.run { [name] in try session.store.park(action, name) }
    session.report?(.didPark(revision: failure.revision, attempts: failure.attempts, failure.error))
  }

  /// Delivers parked actions again, if that was requested. An action that fails again is parked again.
  func deliverParked(_ session: DeliverySession) async throws {
    guard let waiting = try await session.thread.run({ [store, name] in try store.actionsToRetry(name) }) else {
      return
    }
    for parked in waiting {
      if Task.isCancelled { return }
      let record = try await session.thread.run { try session.reader.record(at: parked.revision) }
      guard record.rawLine == parked.line || record.isRedaction(ofLine: parked.line) else {
        throw EventSourcingError(
          .positionMismatch,
          "the parked action \(parked.revision) of the subscription '\(name)' is another one in the log",
          path: store.retryPath(name), revision: parked.revision,
          intact: "The log was replaced. The action was not delivered.", advice: "Remove the file, or the subscription."
        )
      }
      let position = SubscriptionPosition(after: record, of: session.reader.header.log)
      if let action = prepare(record, position) {
        switch await settle(action, session, earlier: parked.attempts) {
        case .handled: break
        case .canceled: return
        case .stop(let failure), .skip(let failure): try await park(failure, session)
        }
      }
      try await session.thread.run { [name] in try session.store.noteSettled(parked, name) }
    }
    // Also after a crash that left a file without an action to deliver: it would prevent the next request.
    try await session.thread.run { [name] in try session.store.removeActionsToRetry(name) }
  }
}
