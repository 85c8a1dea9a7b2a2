/// A filter that decides in constant time, from the old state and the action, whether a selection can change.
///
/// A filter that is wrong loses updates silently; this one is tested against every action.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public enum QuakesFilter {
  /// Returns a filter for actions that can change the table of quakes.
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
