import SampleSupport

/// The actions of the quakes sample, grouped by their source.
///
/// The names of cases and labels are the types and members of the records in a log. Changing one changes the format and
/// requires a new schema version.
public enum QuakesAction: Hashable, Codable, Sendable {
  case ui(_ action: UI)
  case data(_ action: Data)
}

extension QuakesAction {
  /// Actions of the user, by screen.
  public enum UI: Hashable, Codable, Sendable {
    case quakeList(_ action: QuakeList)
  }
}

extension QuakesAction.UI {
  /// Actions on the list of quakes.
  public enum QuakeList: Hashable, Codable, Sendable {
    case onAppear
    case onTapRefreshQuakesButton(range: RefreshQuakesRange)
    /// The user deleted a quake. It is removed at once, and restored if the store fails.
    case onTapDeleteSelectedQuakeButton(quakeId: Quake.ID)
    /// The user deleted all quakes. They are removed at once, and restored if the store fails.
    case onTapDeleteAllQuakesButton
  }
}

extension QuakesAction.UI.QuakeList {
  /// The time range of a feed.
  public enum RefreshQuakesRange: Hashable, Codable, Sendable, CaseIterable {
    case allHour
    /// The last day: about 300 quakes.
    case allDay
    case allWeek
    /// The last thirty days: about 10 000 quakes.
    case allMonth
  }
}

extension QuakesAction {
  /// Actions of the data layer. In extensions of `QuakesAction`, the name hides `Foundation.Data`.
  public enum Data: Hashable, Codable, Sendable {
    case persistentSession(_ action: PersistentSession)
  }
}

extension QuakesAction.Data {
  /// Results of operations on the stores.
  public enum PersistentSession: Hashable, Codable, Sendable {
    case localStore(_ action: LocalStore)
    case remoteStore(_ action: RemoteStore)
  }
}

extension QuakesAction.Data.PersistentSession {
  /// Results of the store on this device.
  public enum LocalStore: Hashable, Codable, Sendable {
    case didFetchQuakes(result: FetchQuakesResult)
    /// A deletion failed that the state had already performed: the quakes are still stored.
    ///
    /// The guide notes that it lacks this rollback. The action contains the deleted quakes, because the state no longer
    /// has them, and the reason of the failure.
    case didFailToDeleteQuakes(quakes: [Quake], reason: FailureReason)
  }

  /// Results of the feeds.
  public enum RemoteStore: Hashable, Codable, Sendable {
    case didFetchQuakes(result: FetchQuakesResult)
  }
}

// One result type per operation instead of `Swift.Result`: an error is a text, because it is stored and compared.

extension QuakesAction.Data.PersistentSession.LocalStore {
  /// The outcome of fetching the stored quakes.
  public enum FetchQuakesResult: Hashable, Codable, Sendable {
    case success(quakes: [Quake])
    /// Nothing was fetched.
    case failure(error: String)
  }
}

extension QuakesAction.Data.PersistentSession.RemoteStore {
  /// The outcome of fetching a feed.
  public enum FetchQuakesResult: Hashable, Codable, Sendable {
    /// All quakes of the feed, in its order. A withdrawn quake has no magnitude above 0.
    case success(quakes: [Quake])
    /// Nothing was fetched.
    case failure(error: String)
  }
}

/// The code, message and place of a failure, as data.
///
/// It is created where the failure occurs and stored unchanged, because the texts of errors differ between platforms.
public struct FailureReason: Hashable, Codable, Sendable {
  /// The kind of failure, for instance `timeLimitReached`.
  public let code: String
  /// A description of the failure.
  public let message: String
  /// The path or address where it occurred; `nil` if the error has none.
  public let place: String?

  /// Creates a reason from its parts.
  public init(code: String, message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension FailureReason {
  /// Creates the reason of an error.
  ///
  /// For errors that do not adopt `DescribedError`, the system's descriptions are used.
  public init(_ error: any Error) {
    let summary = ErrorSummary(error)
    self.init(code: summary.code, message: summary.message, place: summary.place)
  }
}

extension FailureReason: CustomStringConvertible {
  /// For instance `timeLimitReached: no answer within 60 seconds: remote store`.
  public var description: String {
    ErrorSummary(code: code, message: message, place: place).description
  }
}
