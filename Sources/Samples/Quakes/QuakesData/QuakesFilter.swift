/// Which actions can change what a selection shows, decided in constant time from the state before and the action.
///
/// A filter that is wrong loses updates silently; it is tested against every action.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public enum QuakesFilter {
  /// A filter that is true for actions that can change the table of quakes.
  ///
  /// - Complexity: O(1).
  public static func filterQuakes() -> @Sendable (QuakesState, QuakesAction) -> Bool {
    { _, action in
      switch action {
      case .ui(.quakeList(.onTapDeleteSelectedQuakeButton)),
        .ui(.quakeList(.onTapDeleteAllQuakesButton)),
        .data(.persistentSession(.localStore(.didFetchQuakes(result: .success)))),
        .data(.persistentSession(.localStore(.didFailToDeleteQuakes))),
        .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .success)))):
        true
      default:
        false
      }
    }
  }
}
