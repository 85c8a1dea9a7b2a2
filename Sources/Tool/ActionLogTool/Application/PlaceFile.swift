package import ActionLog
import JSONCoding
import Platform
package import TerminalUI

/// The place of the user in an application (selection, sort order, search text), kept in a small file next to the log
/// and restored at the next start.
///
/// It is not part of the log: it is not a change of the data. A missing file, or one of another version, is ignored.
package final class PlaceFile<Place: Codable & Equatable & Sendable>: Sendable {
  private struct Contents: Sendable {
    var last: Place?
    var waiting: Place?
  }

  private let path: String
  private let fileSystem: any LogFileSystem
  private let contents = Locked(Contents())
  private let queue = SerialQueue()

  /// Creates the value for `place.json` in an application's folder, without reading the file.
  package convenience init(in folder: DataFolder) {
    self.init(folder.path("place.json"), fileSystem: folder.fileSystem)
  }

  /// Creates the value for a file, without reading it.
  package init(_ path: String, fileSystem: any LogFileSystem) {
    self.path = path
    self.fileSystem = fileSystem
  }

  /// The longest file to read: a place is a few names.
  private static var limitBytes: Int { 1 << 16 }

  /// Reads the last place; `nil` if the file is missing or unreadable, and the application starts at its usual place.
  package func read() async -> Place? {
    await BlockingWork.run { [self] in
      do {
        let bytes = try fileSystem.contents(of: path, limitBytes: Self.limitBytes)
        let place = try StrictJSONDecoder().decode(Place.self, from: bytes)
        contents.withLock { contents in contents.last = place }
        return place
      } catch {
        return nil
      }
    }
  }

  /// Writes a place in the background if it differs from the last one. Of several in a burst, the last one is
  /// written.
  package func keep(_ place: Place) {
    let isNew = contents.withLock { contents -> Bool in
      guard place != contents.last else { return false }
      (contents.last, contents.waiting) = (place, place)
      return true
    }
    if isNew { queue.async { [self] in writeWaiting() } }
  }

  package func finish() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  private func writeWaiting() {
    guard let place = contents.withLock({ contents in contents.waiting.take() }) else { return }
    do {
      try write(place)
    } catch {
      // A full disk is reported by the recorder, and losing a place is harmless. The next key tries again.
      contents.withLock { contents in contents.last = contents.waiting }
    }
  }

  /// Replaces the file in one step: after a kill there is either the old file or the new one.
  private func write(_ place: Place) throws {
    let bytes = try StrictJSONEncoder(form: .canonical).encode(place)
    try fileSystem.replaceFile(path, with: bytes, sync: nil)
  }
}

/// A screen that writes the user's place after every key.
@MainActor package final class PlaceKeeper<Place: Codable & Equatable & Sendable>: TerminalScreen {
  private let screen: any TerminalScreen
  private let file: PlaceFile<Place>
  private let place: @MainActor () -> Place

  package init(_ screen: any TerminalScreen, in file: PlaceFile<Place>, _ place: @escaping @MainActor () -> Place) {
    self.screen = screen
    self.file = file
    self.place = place
  }

  package func render(on canvas: Canvas) { screen.render(on: canvas) }

  package func handle(_ key: TerminalUI.Key) -> KeyResponse {
    defer { file.keep(place()) }
    return screen.handle(key)
  }

  package var isFinished: Bool { screen.isFinished }
}
