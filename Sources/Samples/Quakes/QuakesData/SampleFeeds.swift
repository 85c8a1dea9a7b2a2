public import Foundation
import Platform
import SampleSupport

/// Generated feeds, to try the sample without a network: one quake every twelve minutes, in regions with many quakes.
///
/// A quake depends only on its time, so it is the same in every feed and at every call.
public struct SampleFeeds: PersistentSessionRemoteStore {
  private let now: @Sendable () -> Date

  /// The time between two quakes, in milliseconds.
  private static let interval: Int64 = 720_000

  /// Creates feeds.
  public init(now: @escaping @Sendable () -> Date = { Date() }) {
    self.now = now
  }

  /// Generates a feed.
  public func fetchRemoteQuakesQuery(range: QuakesAction.UI.QuakeList.RefreshQuakesRange) async throws -> [Quake] {
    let seconds = now().timeIntervalSince1970
    // A time outside of every calendar has no quakes.
    guard abs(seconds) < 1e11 else { return [] }
    let last = Int64(seconds * 1_000) / Self.interval
    return (0..<Int64(range.sampleCount)).compactMap { age in Self.quake(last - age) }
  }

  private static func quake(_ number: Int64) -> Quake? {
    var generator = SplitMix64(seed: UInt64(bitPattern: number))
    let place = generator.element(of: Vocabulary.places)
    // Each magnitude is about a third as frequent as the next lower one.
    let magnitude = (0..<7).reduce(0.4) { magnitude, _ in magnitude + (generator.chance(1, in: 3) ? 1 : 0) }
    let offset = { (generator: inout SplitMix64) in Double(generator.next(below: 129) - 64) / 32 }
    let (east, north) = (offset(&generator), offset(&generator))
    let direction = generator.element(of: Vocabulary.directions)
    let name = "\(1 + generator.next(below: 90)) km \(direction) of \(place.name)"
    let tenths = Double(generator.next(below: 10)) / 10
    guard let time = Date(millisecondsSince1970: number * interval),
      let updated = Date(millisecondsSince1970: number * interval + 300_000)
    else { return nil }
    return Quake(
      quakeId: "sample\(number)", magnitude: ((magnitude + tenths) * 10).rounded() / 10, time: time, updated: updated,
      name: name, longitude: place.longitude + east, latitude: place.latitude + north)
  }
}

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  fileprivate var sampleCount: Int {
    switch self {
    case .allHour: 5
    case .allDay: 120
    case .allWeek: 840
    case .allMonth: 3_600
    }
  }
}
