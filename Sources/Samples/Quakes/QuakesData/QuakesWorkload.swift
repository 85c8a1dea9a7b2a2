import Foundation
import Platform
import SampleSupport

/// A generated sequence of actions for the quakes sample; equal seeds give equal actions on every platform.
///
/// It simulates users who open the list, request feeds and delete quakes. Feeds add, correct and withdraw quakes, and
/// contain some twice. The stores answer one request at a time, with a delay, and sometimes fail, so deletions are
/// rolled back. The reducer refuses about 1 in 200 actions: a tap on a deleted quake.
///
/// The sequence is infinite: take a prefix.
///
/// ```swift
/// for action in QuakesWorkload(seed: 7).prefix(1_000) {
///   do { try store.dispatch(action: action) } catch { print("refused: \(error)") }
/// }
/// ```
public struct QuakesWorkload: Sequence, IteratorProtocol, Sendable {
  /// The maximum number of pending requests: users do not tap faster than that.
  private static let pendingLimit = 4

  var generator: SplitMix64
  var quakes = LiveRows<Quake>()
  /// The last deleted quakes, for late taps.
  var deleted: [Quake] = []
  /// The pending requests, oldest first: the listener performs them in this order.
  var requests: [Request] = []
  var hasAppeared = false
  var isWaiting = false
  /// The number of quakes so far, which ids are derived from.
  var serial = 0
  /// The simulated time, in milliseconds since 1970.
  var now: Int64 = 1_795_251_600_000

  /// Creates a workload.
  public init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  /// The next action. It is never `nil`.
  public mutating func next() -> QuakesAction? {
    now += Int64(1_000 + generator.next(below: 60_000))
    // A successful deletion has no answer.
    while let request = requests.first, isAnswerDue() {
      requests.removeFirst()
      if let action = answer(request) { return action }
    }
    return userAction()
  }

  private mutating func isAnswerDue() -> Bool {
    requests.count == Self.pendingLimit || quakes.isEmpty || generator.chance(2, in: 3)
  }
}

extension QuakesWorkload {
  enum Request: Sendable {
    case fetchStored
    case fetchFeed(QuakesAction.UI.QuakeList.RefreshQuakesRange)
    case delete([Quake])
  }
}

// MARK: - Actions of the user

extension QuakesWorkload {
  /// The number of deleted quakes that can still be tapped.
  private static let deletedLimit = 16
  /// The number of quakes from which on they are no longer deleted all at once. A rollback is one line of the log,
  /// which must not become too long.
  private static let deleteAllLimit = 100

  mutating func userAction() -> QuakesAction {
    guard hasAppeared else { return appear() }
    if quakes.isEmpty { return refresh() }
    // Probabilities in thousandths. Feeds add more quakes than users delete.
    switch generator.next(below: 1_000) {
    case ..<60: return appear()
    case ..<640: return refresh()
    case ..<650: return tooLate()
    case ..<656 where quakes.count < Self.deleteAllLimit: return deleteAll()
    default: return delete()
    }
  }

  private mutating func appear() -> QuakesAction {
    if !hasAppeared {
      hasAppeared = true
      isWaiting = true
      requests.append(.fetchStored)
    }
    return .ui(.quakeList(.onAppear))
  }

  /// A tap on the refresh button, which is always enabled but has no effect while the list is waiting.
  private mutating func refresh() -> QuakesAction {
    let range = generator.element(of: QuakesAction.UI.QuakeList.RefreshQuakesRange.allCases)
    if !isWaiting {
      isWaiting = true
      requests.append(.fetchFeed(range))
    }
    return .ui(.quakeList(.onTapRefreshQuakesButton(range: range)))
  }

  private mutating func delete() -> QuakesAction {
    let quake = quakes.pickRecent(using: &generator)
    quakes.remove(id: quake.id)
    if deleted.count == Self.deletedLimit { deleted.removeFirst() }
    deleted.append(quake)
    requests.append(.delete([quake]))
    return .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: quake.id)))
  }

  private mutating func deleteAll() -> QuakesAction {
    requests.append(.delete(quakes.rows.sorted { lhs, rhs in lhs.id < rhs.id }))
    quakes.removeAll()
    return .ui(.quakeList(.onTapDeleteAllQuakesButton))
  }

  /// A tap on a deleted quake, which the reducer refuses.
  private mutating func tooLate() -> QuakesAction {
    // A feed or a rollback can have restored it.
    guard let quake = deleted.last(where: { quake in quakes[quake.id] == nil }) else { return refresh() }
    return .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: quake.id)))
  }
}

// MARK: - Answers of the stores

extension QuakesWorkload {
  /// The action with the answer; `nil` if the request has no answer.
  mutating func answer(_ request: Request) -> QuakesAction? {
    switch request {
    case .fetchStored:
      isWaiting = false
      return .data(.persistentSession(.localStore(.didFetchQuakes(result: fetchStored()))))
    case .fetchFeed(let range):
      isWaiting = false
      return .data(.persistentSession(.remoteStore(.didFetchQuakes(result: fetchFeed(range)))))
    case .delete(let lost):
      guard generator.chance(1, in: 20) else { return nil }
      for quake in lost where quakes[quake.id] == nil { quakes.put(quake) }
      let reason = generator.element(of: Vocabulary.storeReasons)
      return .data(.persistentSession(.localStore(.didFailToDeleteQuakes(quakes: lost, reason: reason))))
    }
  }

  private mutating func fetchStored() -> QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult {
    if generator.chance(1, in: 10) {
      return .failure(error: generator.element(of: Vocabulary.storeReasons).description)
    }
    let stored = (0..<generator.next(below: 8)).map { _ in newQuake() }
    for quake in stored { quakes.put(quake) }
    return .success(quakes: stored)
  }

  private mutating func fetchFeed(
    _ range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) -> QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult {
    if generator.chance(1, in: 12) { return .failure(error: generator.element(of: Vocabulary.feedErrors)) }
    // Much shorter than real feeds, so that a log of many actions stays small.
    let longest =
      switch range {
      case .allHour: 2
      case .allDay: 4
      case .allWeek: 6
      case .allMonth: 8
      }
    var feed = (0..<generator.next(below: longest + 1)).map { _ in newQuake() }
    if !quakes.isEmpty {
      for _ in 0..<generator.next(below: 3) { feed.append(corrected(quakes.pickRecent(using: &generator))) }
      if generator.chance(1, in: 4) { feed.append(updated(quakes.pickRecent(using: &generator), magnitude: 0)) }
    }
    if let first = feed.first, generator.chance(1, in: 16) { feed.append(corrected(first)) }
    for quake in feed {
      if quake.magnitude > 0 { quakes.put(quake) } else { quakes.remove(id: quake.id) }
    }
    return .success(quakes: feed)
  }

  private mutating func newQuake() -> Quake {
    serial += 1
    let place = generator.element(of: Vocabulary.places)
    let name =
      generator.chance(1, in: 24)
      ? generator.element(of: Vocabulary.awkwardNames)
      : "\(1 + generator.next(below: 90)) km \(generator.element(of: Vocabulary.directions)) of \(place.name)"
    let time = now - Int64(generator.next(below: 3_600_000))
    return Quake(
      quakeId: "\(generator.element(of: Vocabulary.networks))\(70_000_000 + serial)",
      // Weak quakes are more frequent.
      magnitude: Double(1 + Swift.min(generator.next(below: 75), generator.next(below: 75))) / 10,
      time: date(time), updated: date(time + 300_000), name: name,
      longitude: place.longitude + offset(), latitude: place.latitude + offset())
  }

  /// A random offset of at most half a degree, in steps of 1/64, which a double represents exactly.
  private mutating func offset() -> Double { Double(generator.next(below: 65) - 32) / 64 }

  private mutating func corrected(_ quake: Quake) -> Quake {
    updated(quake, magnitude: Double(1 + generator.next(below: 75)) / 10)
  }

  /// The quake with another magnitude; 0 withdraws it.
  private func updated(_ quake: Quake, magnitude: Double) -> Quake {
    Quake(
      quakeId: quake.id, magnitude: magnitude, time: quake.time, updated: date(now), name: quake.name,
      longitude: quake.longitude, latitude: quake.latitude)
  }

  private func date(_ milliseconds: Int64) -> Date {
    // The simulated time is always within the range of a date.
    Date(millisecondsSince1970: milliseconds) ?? .distantPast
  }
}

/// The words of workloads and sample feeds.
enum Vocabulary {
  /// Places of quakes: a name from the feeds and its approximate position.
  static let places: [(name: String, longitude: Double, latitude: Double)] = [
    ("The Geysers, CA", -122.8, 38.8), ("Ridgecrest, CA", -117.7, 35.6), ("Anza, CA", -116.7, 33.6),
    ("Pāhala, Hawaii", -155.5, 19.2), ("Susitna North, Alaska", -150.1, 62.5), ("Adak, Alaska", -176.6, 51.9),
    ("Mentone, Texas", -103.6, 31.7), ("Maria Antonia, Puerto Rico", -66.9, 17.9), ("Tonopah, Nevada", -117.2, 38.1),
    ("Hualien City, Taiwan", 121.6, 24.0), ("Antofagasta, Chile", -70.4, -23.6),
    ("Severo-Kuril’sk, Russia", 156.1, 50.7),
    ("Ōfunato, Japan", 141.7, 39.1), ("Neiafu, Tonga", -174.0, -18.7), ("Kermadec Islands", -177.9, -30.0),
    ("Pondaguitan, Philippines", 126.2, 6.4), ("Tarapacá", -69.3, -20.2), ("Banda Sea", 129.0, -6.5),
    ("Corinto, Nicaragua", -87.2, 12.5), ("Yellowstone National Park, Wyoming", -110.6, 44.7),
  ]

  static let directions = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
  ]

  static let networks = ["ak", "ci", "hv", "nc", "nn", "pr", "tx", "us", "uw"]

  /// Names that test text handling: an empty name, other scripts, characters that JSON escapes.
  static let awkwardNames = ["", "Quarry \"North\"\\2", "三陸沖", "Θάσος", "Tab\there", "Two\u{2028}lines", "Cafe\u{301}"]

  static let feedErrors = [
    "timeLimitReached: no answer within 60 seconds",
    "statusError: the server answered with status 503",
    "transportError: no complete answer came: The network connection was lost.",
    "decodingError: the answer is not the JSON that was expected",
  ]

  static let storeReasons = [
    FailureReason(code: "noSpace", message: "the disk is full", place: "default.store"),
    FailureReason(code: "locked", message: "another process writes to the log", place: "default.store"),
    FailureReason(code: "timeLimitReached", message: "no answer within 30 seconds"),
  ]
}
