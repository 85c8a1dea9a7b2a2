import ImmutableData
public import Observation
import QuakesData

/// What happened in the background that a person should know of: deletions that were taken back, and what could not be
/// stored. Reading it is observed (`Observation`).
@MainActor @Observable public final class QuakesNotices {
  /// Why nothing is recorded, as long as that lasts; else what was told last; `nil` when nothing was, or it was read.
  public var latest: String? { recordingFailure ?? last }
  private var last: String?
  private var recordingFailure: String?
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
    last = text
  }

  /// Tells that nothing is recorded, until that has passed: reading it is not enough.
  ///
  /// - Parameter text: Why; `nil` when it is recorded again.
  public func tell(recordingFailure text: String?) {
    recordingFailure = text
  }

  /// Tells of a failure, unless something else stands there that nobody has read yet: a deletion that was taken back
  /// says more than the failure behind it.
  public func tellOfFailure(_ text: String) {
    if last == nil { last = text }
  }

  /// Forgets what was told: somebody has read it. What keeps things from being recorded stays.
  public func clear() {
    if last != nil { last = nil }
  }

  private static func text(of action: QuakesAction) -> String? {
    guard case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, let reason)))) = action else {
      return nil
    }
    let what = quakes.count == 1 ? "'\(quakes[0].name)' was" : "\(quakes.count) earthquakes were"
    return "\(what) not deleted, and \(quakes.count == 1 ? "is" : "are") back: \(reason)"
  }
}
