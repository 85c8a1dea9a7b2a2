import ImmutableData
public import Observation
import QuakesData

/// What happened in the background that a person should know of: deletions that were taken back, and what could not be
/// stored. Reading it is observed (`Observation`).
@MainActor @Observable public final class QuakesNotices {
  /// What was told last; `nil` when nothing was, or it was read.
  public private(set) var latest: String?
  @ObservationIgnored private var task: Task<Void, Never>?

  /// Makes a place for notices.
  public init() {}

  deinit {
    task?.cancel()
  }

  /// Tells of every deletion that `store` takes back from now on.
  public func listen(to store: some QuakesSource) {
    let stream = store.makeStream()
    task?.cancel()
    task = Task { [weak self] in
      do {
        for try await (_, action) in stream {
          guard let self else { return }
          if let text = Self.text(of: action) { self.tell(text) }
        }
      } catch {
        // The stream of a store does not fail, and that of a history says by its end that it moved far.
        return
      }
    }
  }

  /// Tells something.
  public func tell(_ text: String) {
    latest = text
  }

  /// Tells of a failure, unless something else stands there that nobody has read yet: a deletion that was taken back
  /// says more than the failure behind it.
  public func tellOfFailure(_ text: String) {
    if latest == nil { latest = text }
  }

  /// Forgets what was told: somebody has read it.
  public func clear() {
    if latest != nil { latest = nil }
  }

  private static func text(of action: QuakesAction) -> String? {
    guard case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, let reason)))) = action else {
      return nil
    }
    let what = quakes.count == 1 ? "'\(quakes[0].name)' was" : "\(quakes.count) earthquakes were"
    return "\(what) not deleted, and \(quakes.count == 1 ? "is" : "are") back: \(reason)"
  }
}
