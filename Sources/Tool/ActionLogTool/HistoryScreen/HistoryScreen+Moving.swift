import ActionLog
import EventSourcing
import Platform
import TimeTravel

// Moves to nearby revisions happen at once, others on another thread.
extension HistoryScreen {
  /// Moves to a revision. If that fails, the position is unchanged and the error is shown.
  func go(to target: Int) {
    guard target >= first else {
      return report(
        first == 0 ? "this is the start" : "the log begins at \(first), and earlier revisions are gone")
    }
    guard place.isNear(target, comparedWith: place.base) else { return go(to: .revision(target)) }
    moveFailure = nil
    cancelMove()
    guard target != place.revision else { return }
    do {
      try place.move(to: target, comparedWith: place.base)
      forgetBlame()
      showChanges()
      updateWhatIf()
    } catch {
      report(error)
    }
  }

  func go(toPoint text: String) {
    if let revision = Int(text), revision >= 0 { go(to: revision) } else { go(to: .point(text)) }
  }

  /// Moves on another thread. A move that replaces this one reuses the states folded so far.
  func go(to destination: Destination) {
    if destination == .end, following == .paused { following = .on }
    var progress = PendingMove.Progress()
    if case .revision(let revision) = destination, revision <= last { progress.target = revision }
    cancelMove()
    pendingMove = PendingMove(destination: destination, progress: progress)
    if moveTask == nil { moveTask = Task { await performMoves() } }
  }

  @discardableResult func cancelMove() -> Bool {
    guard let pendingMove else { return false }
    pendingMove.operation.cancel()
    self.pendingMove = nil
    return true
  }

  private func performMoves() async {
    while let pendingMove {
      let (operation, place, resolver) = (pendingMove.operation, place, PointResolver(context, reader: history.reader))
      let arrival = await operation.perform { options, report in
        Arrival(from: place, to: pendingMove.destination, options, resolver, report)
      } note: { [self] (latest: PendingMove.Progress) in
        guard self.pendingMove?.operation === operation, showsProgress || latest.reached == nil else { return }
        self.pendingMove?.progress = latest
      }
      self.place.adoptStates(of: arrival.place)
      guard self.pendingMove?.operation === operation else { continue }
      self.pendingMove = nil
      moveFailure = arrival.failure
      if let failure = arrival.failure {
        report(failure)
      } else if self.place.revision != arrival.place.revision {
        self.place = arrival.place
        forgetBlame()
        showChanges()
        updateWhatIf()
      }
    }
    moveTask = nil
  }
}

private struct Arrival: Sendable {
  /// The new position with the states cached during the move, or the old position if the move failed.
  var place: HistoryPlace
  var failure: (any Error)?

  /// Blocks.
  init(
    from place: HistoryPlace, to destination: Destination, _ options: ReplayOptions, _ resolver: PointResolver,
    _ report: @escaping @Sendable (PendingMove.Progress) -> Void
  ) {
    self.place = place
    do {
      let target = try Self.target(of: destination, &self.place, resolver)
      report(PendingMove.Progress(target: target))
      var options = options
      options.progress = { step in report(PendingMove.Progress(target: target, reached: step.revision)) }
      try self.place.move(to: target, comparedWith: place.base, options)
    } catch {
      failure = error
    }
  }

  private static func target(
    of destination: Destination, _ place: inout HistoryPlace, _ resolver: PointResolver
  ) throws -> Int {
    let target: Int?
    switch destination {
    case .revision(let revision): target = revision
    case .end: target = nil
    case .point(let text): target = try resolver.revision(text)
    }
    let known = place.revisions.upperBound
    if target.map({ target in target > known }) ?? true { try place.refresh() }
    let last = place.revisions.upperBound
    guard let target else { return last }
    guard target <= last else {
      let isEnd = place.revision == last && target == last + 1
      throw ToolFailure(
        "revisionOutOfRange", .usage,
        isEnd ? "this is the end" : "the log has revisions \(place.revisions.lowerBound)…\(last)")
    }
    return target
  }
}

// Following a log that is being written.
extension HistoryScreen {
  /// The pause between two looks at the log: at most five moves a second.
  private static let followPause = Duration.milliseconds(200)

  func toggleFollowing() {
    guard following != .on else {
      endFollowing()
      return report("new actions are no longer followed")
    }
    let isNew = following == .off
    following = .on
    newest = max(newest, last)
    go(to: .end)
    if isNew { followTask = Task { await follow() } }
  }

  /// Stays where the user went: new actions are only counted.
  func pauseFollowing() {
    guard following == .on, pendingMove?.destination != .end, here < last else { return }
    following = .paused
    report("paused: f follows again")
  }

  func endFollowing() {
    following = .off
    followTask?.cancel()
    followTask = nil
  }

  private func follow() async {
    var follower: LogFollower?
    while following != .off, !Task.isCancelled {
      do {
        let (reader, next, current) = (history.reader, newest + 1, follower)
        let (records, advanced) = try await BlockingWork.run { () throws -> ([LogRecord], LogFollower) in
          var follower = try current ?? reader.follower(from: next)
          return (try follower.poll(), follower)
        }
        follower = advanced
        if let latest = records.last(where: { record in !record.isControl }) { newest = max(newest, latest.revision) }
      } catch let error as LogError where error.code == .rejected {
        // The writer rolled back actions that were not durable.
        follower = nil
        newest = min(newest, max(last, (error.revision ?? 1) - 1))
      } catch {
        report(error)
        return endFollowing()
      }
      if following == .on, newest > last, pendingMove == nil { go(to: .end) }
      do { try await Task.sleep(for: Self.followPause) } catch { return }
    }
  }
}

// Marks.
extension HistoryScreen {
  func goToMark(_ step: Int) {
    let (here, last) = (here, last)
    let revisions = marks.map(\.revision).filter { revision in revision <= last }.sorted()
    let found =
      step > 0
      ? revisions.first { revision in revision > here } : revisions.last { revision in revision < here }
    if let found {
      go(to: found)
    } else {
      report(marks.isEmpty ? "the log has no marks" : "there is no mark in that direction")
    }
  }

  /// Marks the current revision, and reads all marks again, because other processes add some as well.
  func mark(_ name: String, remark: String) {
    let (context, reader, here) = (context, history.reader, here)
    ask("marking revision \(here)") { _ in
      let mark = try context.mark(
        name, at: here, remark: remark.isEmpty ? nil : remark, of: reader,
        time: context.environment.logEnvironment.now())
      return (mark: mark, marks: try context.markList(of: reader).marks)
    } take: { [self] answer in
      marks = answer.marks
      report("marked revision \(answer.mark.revision) as \(answer.mark.name)")
    }
  }
}

enum Destination: Sendable, Equatable {
  case revision(Int)
  /// The end of the log at the time of the move.
  case end
  case point(String)
}

struct PendingMove: Sendable {
  struct Progress: Sendable {
    /// The target revision; `nil` while the point is being resolved.
    var target: Int?
    /// The last folded revision; `nil` before the fold begins.
    var reached: Int?
  }

  let destination: Destination
  var progress: Progress
  let operation = ScreenOperation()
}

struct PendingQuestion: Sendable {
  let text: String
  /// The last visited revision; `nil` if it is not known.
  var reached: Int?
  let operation = ScreenOperation()
}
