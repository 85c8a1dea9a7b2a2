import Foundation
import QuakesData
import TreeCollections

extension QuakesState {
  /// A state from a list of rows, to be read in one line.
  static func with(_ quakes: [Quake] = [], _ status: Status? = nil) -> QuakesState {
    var state = QuakesState(quakes: QuakesState.Quakes(status: status))
    for quake in quakes { state.quakes.data[quake.id] = quake }
    return state
  }

  /// The eight samples, fetched.
  static let samples = QuakesState.with(Quake.previewQuakes, .success)
}

extension Quake {
  /// The same quake with some of its fields changed.
  func with(magnitude: Double? = nil, name: String? = nil, time: Date? = nil) -> Quake {
    Quake(
      quakeId: quakeId, magnitude: magnitude ?? self.magnitude, time: time ?? self.time, updated: updated,
      name: name ?? self.name, longitude: longitude, latitude: latitude)
  }
}
