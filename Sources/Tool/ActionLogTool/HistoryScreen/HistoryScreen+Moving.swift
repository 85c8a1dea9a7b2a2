import ActionLog
import EventSourcing
import Platform
import TimeTravel

// Moving: at once to what is near, on another thread to what is not.
extension HistoryScreen {
  /// Goes to a revision; what fails is told, and everything stays.
  func go(to target: Int) {
    guard target >= 0 else { return tell("this is the start") }
    guard place.isNear(target) else { return go(to: .revision(target)) }
    travelFailure = nil
    leaveTravel()
    guard target != place.revision else { return }
    do {
      try place.move(to: target)
      forgetBlame()
      showChanges()
    } catch {
      tell(error)
    }
  }

  /// Goes to a point as it was typed.
  func go(toPoint text: String) {
    if let revision = Int(text), revision >= 0 { go(to: revision) } else { go(to: .point(text)) }
  }

  /// Goes somewhere on another thread. Whoever goes elsewhere meanwhile goes on from the states that were folded until then.
  func go(to destination: Destination) {
    var news = Travel.News()
    if case .revision(let revision) = destination, revision <= last { news.target = revision }
    leaveTravel()
    travel = Travel(number: nextNumber(), destination: destination, news: news)
    if travelling == nil { travelling = Task { await travelOn() } }
  }

  /// Stays where one is.
  ///
  /// - Returns: Whether one was on the way.
  @discardableResult func leaveTravel() -> Bool {
    guard let travel else { return false }
    travel.isUnwanted.withLock { flag in flag = true }
    self.travel = nil
    return true
  }

  /// Goes where somebody wants to be, one way after the other.
  private func travelOn() async {
    while let travel {
      let (news, continuation) = AsyncStream<Travel.News>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let listening = Task { await listen(to: news, of: travel.number) }
      let (place, resolve) = (place, desk.resolve)
      let arrival = await OffPool.run {
        defer { continuation.finish() }
        return Arrival(from: place, on: travel, resolve: resolve) { news in continuation.yield(news) }
      }
      await listening.value
      self.place.adoptStates(of: arrival.place)
      guard self.travel?.number == travel.number else { continue }
      self.travel = nil
      travelFailure = arrival.failure
      if let failure = arrival.failure {
        tell(failure)
      } else if self.place.revision != arrival.place.revision {
        self.place = arrival.place
        forgetBlame()
        showChanges()
      }
    }
    travelling = nil
  }

  private func listen(to news: AsyncStream<Travel.News>, of number: Int) async {
    for await latest in news where travel?.number == number {
      if showsProgress || latest.reached == nil { travel?.news = latest }
    }
  }
}

/// Where a way has led.
private struct Arrival: Sendable {
  /// The place with all states that were kept on the way; the old one if it came to nothing.
  var place: HistoryPlace
  var failure: (any Error)?

  /// Goes a way. Blocks.
  init(
    from place: HistoryPlace, on travel: Travel, resolve: (String) throws -> Int,
    tell: @escaping @Sendable (Travel.News) -> Void
  ) {
    self.place = place
    do {
      let target = try Self.target(of: travel.destination, &self.place, resolve)
      tell(Travel.News(target: target))
      var options = ReplayOptions()
      options.isCancelled = { travel.isUnwanted.withLock { flag in flag } }
      options.progress = { step in tell(Travel.News(target: target, reached: step.revision)) }
      self.place.setOptions(options)
      defer { self.place.setOptions(ReplayOptions()) }
      try self.place.move(to: target)
    } catch {
      failure = error
    }
  }

  /// The revision that is meant. What was recorded since counts.
  private static func target(
    of destination: Destination, _ place: inout HistoryPlace, _ resolve: (String) throws -> Int
  ) throws -> Int {
    let target: Int?
    switch destination {
    case .revision(let revision): target = revision
    case .end: target = nil
    case .point(let text): target = try resolve(text)
    }
    let known = place.revisions.upperBound
    if target.map({ target in target > known }) ?? true { try place.refresh() }
    let last = place.revisions.upperBound
    guard let target else { return last }
    guard target <= last else {
      let isEnd = place.revision == last && target == last + 1
      throw ToolFailure(
        "revisionOutOfRange", .usage, isEnd ? "this is the end" : "there are the revisions 0…\(last) only")
    }
    return target
  }
}
