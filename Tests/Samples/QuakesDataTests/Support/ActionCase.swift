import QuakesData
import Testing

/// An action with its type and data in a log.
struct ActionCase: Sendable, CustomTestStringConvertible {
  let action: QuakesAction
  let type: String
  let data: String

  init(_ action: QuakesAction, type: String, data: String) {
    self.action = action
    self.type = type
    self.data = data
  }

  var kind: ActionKind { ActionKind(action) }

  var testDescription: String { "\(type) \(kind)" }
}

extension ActionCase {
  /// Every kind of action once; actions on a quake name the small quake.
  static let all = ui + localStore + remoteStore

  /// The small quake in its stored form.
  static let smallQuake = """
    {"quakeId":"small","magnitude":2.5,"time":"2026-11-21T08:30:00Z","updated":"2026-11-21T08:30:00Z",\
    "name":"West of California","longitude":-125,"latitude":35}
    """

  private static let ui = [
    ActionCase(.ui(.quakeList(.onAppear)), type: "ui.quakeList.onAppear", data: "{}"),
    ActionCase(
      .ui(.quakeList(.onTapRefreshQuakesButton(range: .allDay))),
      type: "ui.quakeList.onTapRefreshQuakesButton", data: #"{"range":{"allDay":{}}}"#),
    ActionCase(
      .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: "small"))),
      type: "ui.quakeList.onTapDeleteSelectedQuakeButton", data: #"{"quakeId":"small"}"#),
    ActionCase(
      .ui(.quakeList(.onTapDeleteAllQuakesButton)), type: "ui.quakeList.onTapDeleteAllQuakesButton", data: "{}"),
  ]

  private static let localStore = [
    ActionCase(
      .local(.didFetchQuakes(result: .success(quakes: [.small]))),
      type: "data.persistentSession.localStore.didFetchQuakes",
      data: #"{"result":{"success":{"quakes":[\#(smallQuake)]}}}"#),
    ActionCase(
      .local(.didFetchQuakes(result: .failure(error: "locked"))),
      type: "data.persistentSession.localStore.didFetchQuakes",
      data: #"{"result":{"failure":{"error":"locked"}}}"#),
    ActionCase(
      .local(
        .didFailToDeleteQuakes(
          quakes: [.small], reason: FailureReason(code: "noSpace", message: "the disk is full", place: "default.store"))
      ),
      type: "data.persistentSession.localStore.didFailToDeleteQuakes",
      data: """
        {"quakes":[\(smallQuake)],"reason":{"code":"noSpace","message":"the disk is full","place":"default.store"}}
        """),
  ]

  private static let remoteStore = [
    ActionCase(
      .remote(.didFetchQuakes(result: .success(quakes: [.small]))),
      type: "data.persistentSession.remoteStore.didFetchQuakes",
      data: #"{"result":{"success":{"quakes":[\#(smallQuake)]}}}"#),
    ActionCase(
      .remote(.didFetchQuakes(result: .failure(error: "offline"))),
      type: "data.persistentSession.remoteStore.didFetchQuakes",
      data: #"{"result":{"failure":{"error":"offline"}}}"#),
  ]
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

/// All actions and outcomes of results, as a flat list.
enum ActionKind: CaseIterable {
  case appeared, refreshTapped, deleteTapped, deleteAllTapped
  case storedFetched, storedNotFetched, deletionFailed
  case feedFetched, feedNotFetched

  init(_ action: QuakesAction) {
    self =
      switch action {
      case .ui(.quakeList(.onAppear)): .appeared
      case .ui(.quakeList(.onTapRefreshQuakesButton)): .refreshTapped
      case .ui(.quakeList(.onTapDeleteSelectedQuakeButton)): .deleteTapped
      case .ui(.quakeList(.onTapDeleteAllQuakesButton)): .deleteAllTapped
      case .data(.persistentSession(.localStore(.didFetchQuakes(result: .success)))): .storedFetched
      case .data(.persistentSession(.localStore(.didFetchQuakes(result: .failure)))): .storedNotFetched
      case .data(.persistentSession(.localStore(.didFailToDeleteQuakes))): .deletionFailed
      case .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .success)))): .feedFetched
      case .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .failure)))): .feedNotFetched
      }
  }
}
