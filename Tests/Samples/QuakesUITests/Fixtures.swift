import Foundation
import QuakesData
import Testing
import TreeCollections

extension Quake {
  /// The same quake with some of its fields changed.
  func with(
    quakeId: String? = nil, magnitude: Double? = nil, name: String? = nil, time: Date? = nil, longitude: Double? = nil,
    latitude: Double? = nil
  ) -> Quake {
    Quake(
      quakeId: quakeId ?? self.quakeId, magnitude: magnitude ?? self.magnitude, time: time ?? self.time,
      updated: updated, name: name ?? self.name, longitude: longitude ?? self.longitude,
      latitude: latitude ?? self.latitude)
  }

  /// Quakes around the Pacific and elsewhere, within a few hours before the time of the samples.
  static let around: [Quake] = [
    ("nc1", 1.2, "5 km NW of The Geysers, CA", -122.8, 38.8, 12),
    ("hv1", 2.3, "12 km SSE of Pāhala, Hawaii", -155.5, 19.2, 41),
    ("ak1", 3.4, "Susitna North, Alaska", -150.1, 62.5, 70), ("us1", 4.9, "Antofagasta, Chile", -70.4, -23.6, 95),
    ("us2", 5.6, "Kermadec Islands", -177.9, -30, 130), ("us3", 6.8, "Hualien City, Taiwan", 121.6, 24, 180),
    ("us4", 7.4, "Ōfunato, Japan", 141.7, 39.1, 200), ("us5", 4.2, "Banda Sea", 129, -6.5, 240),
    ("us6", 5.1, "Afyonkarahisar, Türkiye", 30.5, 38.8, 300),
    ("pr1", 2.8, "Maria Antonia, Puerto Rico", -66.9, 17.9, 330),
    ("us7", 4.5, "Reykjanes Ridge", -24.5, 63, 400), ("tx1", 0.7, "", -103.6, 31.7, 455),
  ].map { quakeId, magnitude, name, longitude, latitude, minutes in
    Quake(
      quakeId: quakeId, magnitude: magnitude, time: sampleDate.addingTimeInterval(-60 * minutes), updated: sampleDate,
      name: name, longitude: longitude, latitude: latitude)
  }
}

extension QuakesState {
  /// Creates a state from a list of quakes.
  static func with(_ quakes: [Quake] = [], _ status: Status? = nil) -> QuakesState {
    var state = QuakesState()
    state.quakes.status = status
    for quake in quakes { state.quakes.data[quake.id] = quake }
    return state
  }
}

extension QuakesAction {
  /// An action of the local store.
  static func local(_ action: Data.PersistentSession.LocalStore) -> QuakesAction {
    .data(.persistentSession(.localStore(action)))
  }

  /// An action of the feeds.
  static func remote(_ action: Data.PersistentSession.RemoteStore) -> QuakesAction {
    .data(.persistentSession(.remoteStore(action)))
  }
}

/// Screens that are compared with files. `UPDATE_GOLDEN=1 swift test` rewrites them; review the diff.
enum Golden {
  static func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
      try Data(text.utf8).write(to: file)
      return
    }
    let file = Bundle.module.bundleURL.appendingPathComponent("Golden/\(name)")
    guard FileManager.default.fileExists(atPath: file.path) else {
      Issue.record(
        "there is no golden file \(name); run with UPDATE_GOLDEN=1 to create it", sourceLocation: sourceLocation)
      return
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == expected, "UPDATE_GOLDEN=1 accepts it", sourceLocation: sourceLocation)
  }
}
