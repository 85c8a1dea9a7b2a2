import Foundation
import Observation
public import QuakesData

/// The camera of the map: a place, seen from an altitude.
package struct QuakeCamera: Hashable, Sendable {
  /// The zoom of a camera that shows the surroundings of a quake, from 3 000 km. Each step halves the altitude, so the
  /// complete world is shown from 48 000 km.
  private static let nearZoom = 4.0
  private static let nearAltitude = 3_000_000.0

  package var center: QuakePlace
  package var zoom: Double

  package init(center: QuakePlace, zoom: Double) {
    self.center = center
    self.zoom = zoom
  }

  /// The altitude in meters.
  package var altitude: Double { Self.nearAltitude * exp2(Self.nearZoom - zoom) }

  /// The zoom for an altitude in meters, within the limits of the map.
  static func zoom(altitude: Double) -> Double {
    let zoom = nearZoom - log2(altitude / nearAltitude)
    return zoom.isFinite ? min(max(zoom, 0), Double(WorldView.zoomLimit)) : 0
  }
}

/// The flight of the camera to a quake: to the middle altitude in the first half of the time, to the final one in the second.
package struct QuakeFlight: Hashable, Sendable {
  private let start: QuakeCamera
  private let target: QuakePlace
  private let movement: QuakeCameraMovement

  package init(from start: QuakeCamera, to quake: Quake) {
    self.start = start
    target = QuakePlace(quake)
    movement = QuakeCameraMovement(from: start.center, altitude: start.altitude, to: quake)
  }

  /// The duration in seconds, 1 to 5.
  package var seconds: Double { movement.seconds.isFinite ? movement.seconds : 1 }

  /// The camera after some seconds of the flight.
  package func camera(after elapsed: Double) -> QuakeCamera {
    let share = min(max(elapsed / seconds, 0), 1)
    let middle = QuakeCamera.zoom(altitude: movement.middleAltitude)
    let final = QuakeCamera.zoom(altitude: movement.finalAltitude)
    let zoom =
      share < 0.5
      ? start.zoom + (middle - start.zoom) * share * 2
      : middle + (final - middle) * (share * 2 - 1)
    // The shorter way around the world.
    let east = WorldView.wrapped(target.longitude - start.center.longitude)
    return QuakeCamera(
      center: QuakePlace(
        longitude: WorldView.wrapped(start.center.longitude + east * share),
        latitude: start.center.latitude + (target.latitude - start.center.latitude) * share),
      zoom: zoom)
  }
}

/// Animates the camera of a window: publishes its position frame by frame.
@MainActor @Observable final class QuakeCameraPilot {
  /// The frame rate: smooth enough for characters, and slow enough for a remote terminal.
  private static let framesPerSecond = 10.0

  /// The camera during a flight; `nil` otherwise. Reading is observed.
  private(set) var camera: QuakeCamera?
  @ObservationIgnored private var task: Task<Void, Never>?

  deinit {
    task?.cancel()
  }

  /// Starts a flight, and stops the current one.
  func start(_ flight: QuakeFlight, clock: any Clock<Duration>) {
    task?.cancel()
    camera = flight.camera(after: 0)
    task = Task { [weak self] in
      for frame in 1...Int((flight.seconds * Self.framesPerSecond).rounded(.up)) {
        do { try await clock.sleep(for: .seconds(1 / Self.framesPerSecond)) } catch { return }
        if Task.isCancelled { return }
        self?.camera = flight.camera(after: Double(frame) / Self.framesPerSecond)
      }
      self?.camera = nil
    }
  }

  func stop() {
    task?.cancel()
    if camera != nil { camera = nil }
  }
}

/// The movement of the map's camera to another quake: up, and down again at the quake.
public struct QuakeCameraMovement: Hashable, Sendable {
  /// The altitude that shows the surroundings of a quake, in meters.
  private static let altitude = 3_000_000.0

  /// The duration in seconds, 1 to 5: half of it to each altitude.
  public let seconds: Double
  /// The altitude halfway, in meters.
  public let middleAltitude: Double
  /// The altitude at the end, in meters.
  public let finalAltitude: Double

  /// Creates the movement to a quake.
  public init(from center: QuakePlace, altitude: Double, to quake: Quake?) {
    let distance = center.distance(to: quake.map { quake in QuakePlace(quake) } ?? center)
    seconds = max(min(distance / 30, 5), 1)
    finalAltitude = distance > 20 ? Self.altitude : min(altitude, Self.altitude)
    middleAltitude = finalAltitude * max(min(distance / 5, 1.5), 1)
  }
}
