public import ActionLog
public import EventSourcing
public import JSONCoding

// The forms for async contexts of the questions: see the file of the same name in EventSourcing. Each runs on a thread that may
// block, in the caller's task, and calls its closures there.
extension History {
  /// Makes a cursor at a point of this history: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func cursor(at point: HistoryPoint = .end) async throws -> HistoryCursor<M> {
    try await reading { history in try history.cursor(at: point) }
  }

  /// Finds the last action that changed a value: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func blame(
    _ pointer: JSONPointer, at revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) async throws -> BlameAnswer {
    try await reading { history in try history.blame(pointer, at: revision, options: options) }
  }

  /// Finds every action that changed a value, oldest first: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  @discardableResult
  public func changes(
    of pointers: [JSONPointer], in range: ClosedRange<Int>, options: ReplayOptions = ReplayOptions(),
    _ body: @Sendable (ValueChange) throws -> Bool
  ) async throws -> QuestionWork {
    try await reading { history in try history.changes(of: pointers, in: range, options: options, body) }
  }

  /// Finds the first revision after another at which a condition holds: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func firstRevision(
    where condition: Condition, after revision: Int? = nil, upTo last: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) async throws -> ConditionAnswer {
    try await reading { history in
      try history.firstRevision(where: condition, after: revision, upTo: last, options: options)
    }
  }

  /// Finds the last revision before another at which a condition holds: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func lastRevision(
    where condition: Condition, before revision: Int? = nil, downTo first: Int = 0,
    options: ReplayOptions = ReplayOptions()
  ) async throws -> ConditionAnswer {
    try await reading { history in
      try history.lastRevision(where: condition, before: revision, downTo: first, options: options)
    }
  }

  /// Finds the first revision at which a condition holds, by bisection: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) async throws -> BisectAnswer {
    try await reading { history in try history.bisect(condition, in: range, options: options) }
  }

  /// Finds the actions that changed one of some values and after which a condition holds: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  @discardableResult
  public func actions(
    where condition: Condition?, touching pointers: [JSONPointer] = [], in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: @Sendable (LogRecord) throws -> Bool
  ) async throws -> QuestionWork {
    try await reading { history in
      try history.actions(where: condition, touching: pointers, in: range, options: options, body)
    }
  }

  /// Finds the actions that a filter includes: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  @discardableResult
  public func actions(
    includedBy isIncluded: @Sendable (M.State, M.Action) throws -> Bool, in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: @Sendable (RecordedAction<M.Action>) throws -> Bool
  ) async throws -> QuestionWork {
    try await reading { history in
      try history.actions(includedBy: isIncluded, in: range, options: options, body)
    }
  }

  /// Finds a few actions that suffice to make a condition hold: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func minimize(
    _ condition: Condition, after start: Int = 0, at revision: Int? = nil, trialLimit: Int = 10_000,
    options: ReplayOptions = ReplayOptions()
  ) async throws -> MinimizedActions<M.Action> {
    try await reading { history in
      try history.minimize(condition, after: start, at: revision, trialLimit: trialLimit, options: options)
    }
  }
}

// MARK: - Edited histories and files

extension History {
  /// Finds the state that an edited history would lead to: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func whatIf(
    _ edits: [HistoryEdit], upTo revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) async throws -> WhatIfAnswer<M.State> {
    try await reading { history in try history.whatIf(edits, upTo: revision, options: options) }
  }

  /// Finds the state that another model would lead to: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func whatIf<Other: Model>(
    _ edits: [HistoryEdit] = [], foldedBy model: Other.Type, upTo revision: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) async throws -> WhatIfAnswer<Other.State> {
    try await reading { history in
      try history.whatIf(edits, foldedBy: Other.self, upTo: revision, options: options)
    }
  }

  /// Writes an edited history as a new log: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func branch(
    _ edits: [HistoryEdit] = [], to path: String, upTo revision: Int? = nil, environment: LogEnvironment = .live,
    options: ReplayOptions = ReplayOptions()
  ) async throws -> BranchReport<M.State> {
    try await reading { history in
      try history.branch(edits, to: path, upTo: revision, environment: environment, options: options)
    }
  }

  /// Writes the history of another model as a new log of that model: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func branch<Other: Model>(
    _ edits: [HistoryEdit] = [], to path: String, foldedBy model: Other.Type, upTo revision: Int? = nil,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) async throws -> BranchReport<Other.State> {
    try await reading { history in
      try history.branch(
        edits, to: path, foldedBy: Other.self, upTo: revision, environment: environment, options: options)
    }
  }

  /// Writes a range of the log into one file: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  @discardableResult
  public func writeBugReport(
    of range: ClosedRange<Int>, to path: String, remark: String? = nil, against witness: (any ReplayWitness)? = nil,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) async throws -> BugReport {
    try await reading { history in
      try history.writeBugReport(
        of: range, to: path, remark: remark, against: witness, environment: environment, options: options)
    }
  }
}
