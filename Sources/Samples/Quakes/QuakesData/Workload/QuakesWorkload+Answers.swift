import Foundation
import SampleSupport

// What the stores answer.

extension QuakesWorkload {
  /// The action that tells of the answer; `nil` when there is nothing to tell.
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
    // Much shorter than real feeds, so that a history of many actions stays small.
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
      if generator.chance(1, in: 4) { feed.append(withdrawn(quakes.pickRecent(using: &generator))) }
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
      // The weaker, the more frequent.
      magnitude: Double(1 + Swift.min(generator.next(below: 75), generator.next(below: 75))) / 10,
      time: date(time), updated: date(time + 300_000), name: name,
      longitude: place.longitude + offset(), latitude: place.latitude + offset())
  }

  /// Up to half a degree, in steps of 1/64, which a double holds exactly.
  private mutating func offset() -> Double { Double(generator.next(below: 65) - 32) / 64 }

  private mutating func corrected(_ quake: Quake) -> Quake {
    Quake(
      quakeId: quake.id, magnitude: Double(1 + generator.next(below: 75)) / 10, time: quake.time, updated: date(now),
      name: quake.name, longitude: quake.longitude, latitude: quake.latitude)
  }

  private func withdrawn(_ quake: Quake) -> Quake {
    Quake(
      quakeId: quake.id, magnitude: 0, time: quake.time, updated: date(now), name: quake.name,
      longitude: quake.longitude, latitude: quake.latitude)
  }

  private func date(_ milliseconds: Int64) -> Date {
    // The clock of a workload never comes near the limits of a date.
    Date(millisecondsSince1970: milliseconds) ?? .distantPast
  }
}
