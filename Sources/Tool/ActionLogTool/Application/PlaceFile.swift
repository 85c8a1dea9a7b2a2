package import ActionLog
import JSONCoding
import Platform
package import TerminalUI

/// The place where a person was in an application: what was selected, how it was sorted. It is kept in a small file beside the
/// log, so that the next start is there again, however this one ends.
///
/// It is no part of the log, because it is nobody else's business and nothing has happened by it. A file that is missing, or
/// that another version has written, is as good as none.
package final class PlaceFile<Place: Codable & Equatable & Sendable>: Sendable {
  private struct Contents: Sendable {
    var last: Place?
    var waiting: Place?
    var isWriting = false
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  }

  private let path: String
  private let fileSystem: any LogFileSystem
  private let contents = Locked(Contents())

  /// Makes the file of an application, `place.json` in its folder; nothing is read yet.
  package convenience init(in folder: DataFolder) {
    self.init(folder.path("place.json"), fileSystem: folder.fileSystem)
  }

  /// Makes a file; nothing is read yet.
  ///
  /// - Parameters:
  ///   - path: Its path. A second one, with `.new` after its name, is written and renamed.
  ///   - fileSystem: Where it lies.
  package init(_ path: String, fileSystem: any LogFileSystem) {
    self.path = path
    self.fileSystem = fileSystem
  }

  /// A place is a few names; what is longer is none.
  private static var limitBytes: Int { 1 << 16 }

  /// Reads the place that was kept last.
  ///
  /// - Returns: `nil` for none, also where it cannot be read: the application begins at its usual place then.
  package func read() async -> Place? {
    await OffPool.run { [self] in
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

  /// Keeps a place soon, if it is another one than before. Of several that come in a burst the last one is kept.
  package func keep(_ place: Place) {
    let mustStart = contents.withLock { contents -> Bool in
      guard place != contents.last else { return false }
      (contents.last, contents.waiting) = (place, place)
      defer { contents.isWriting = true }
      return !contents.isWriting
    }
    if mustStart { OffPool.start { [self] in writeAll() } }
  }

  /// Waits until the last place is kept.
  package func finish() async {
    await withCheckedContinuation { continuation in
      let isDone = contents.withLock { contents -> Bool in
        if contents.isWriting { contents.waitingForEnd.append(continuation) }
        return !contents.isWriting
      }
      if isDone { continuation.resume() }
    }
  }

  private func writeAll() {
    while true {
      let place = contents.withLock { contents -> Place? in
        defer { contents.waiting = nil }
        if contents.waiting == nil { contents.isWriting = false }
        return contents.waiting
      }
      guard let place else { break }
      do {
        try write(place)
      } catch {
        // The disk may be full: the recorder tells that, and a place is no loss. The next key tries again, wherever it leads.
        contents.withLock { contents in contents.last = contents.waiting }
      }
    }
    let waiting = contents.withLock { contents in
      defer { if !contents.isWriting { contents.waitingForEnd = [] } }
      return contents.isWriting ? [] : contents.waitingForEnd
    }
    for continuation in waiting { continuation.resume() }
  }

  /// A process can be killed at any moment: there is the old file or the new one, whole.
  private func write(_ place: Place) throws {
    let bytes = try StrictJSONEncoder(form: .canonical).encode(place)
    let file = try fileSystem.open(path + ".new", for: .overwrite)
    defer { file.close() }
    try file.truncate(toBytes: 0)
    try file.write(bytes, at: 0)
    try fileSystem.rename(path + ".new", to: path)
  }
}

/// A screen whose place is kept after every key.
@MainActor package final class PlaceKeeper<Place: Codable & Equatable & Sendable>: TerminalScreen {
  private let screen: any TerminalScreen
  private let file: PlaceFile<Place>
  private let place: @MainActor () -> Place

  /// Keeps the place of a screen.
  ///
  /// - Parameters:
  ///   - screen: The screen.
  ///   - file: Where its place is kept.
  ///   - place: The place that it is at.
  package init(_ screen: any TerminalScreen, in file: PlaceFile<Place>, _ place: @escaping @MainActor () -> Place) {
    self.screen = screen
    self.file = file
    self.place = place
  }

  /// Draws the screen.
  package func render(on canvas: Canvas) { screen.render(on: canvas) }

  /// Hands a key to the screen, and keeps the place that it led to.
  package func handle(_ key: TerminalUI.Key) -> KeyResponse {
    defer { file.keep(place()) }
    return screen.handle(key)
  }

  /// Whether the screen is done.
  package var isFinished: Bool { screen.isFinished }
}
