import QuakesData

/// Every action value, and for results every outcome, as a flat list.
///
/// The switch has no default: an action that is new does not compile until it is listed here, and then every table of
/// these tests has to say what it does.
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
