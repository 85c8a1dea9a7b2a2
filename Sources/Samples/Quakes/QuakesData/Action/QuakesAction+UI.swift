extension QuakesAction {
  /// What people did, by screen.
  public enum UI: Hashable, Codable, Sendable {
    /// The list of quakes.
    case quakeList(_ action: QuakeList)
  }
}

extension QuakesAction.UI {
  /// What happened on the list of quakes.
  public enum QuakeList: Hashable, Codable, Sendable {
    /// The list came into view.
    case onAppear
    /// Somebody asked for a feed.
    case onTapRefreshQuakesButton(range: RefreshQuakesRange)
    /// Somebody deleted a quake. It is gone at once; when the store fails, it comes back.
    case onTapDeleteSelectedQuakeButton(quakeId: Quake.ID)
    /// Somebody deleted all quakes. They are gone at once; when the store fails, they come back.
    case onTapDeleteAllQuakesButton
  }
}

extension QuakesAction.UI.QuakeList {
  /// How far back a feed reaches.
  public enum RefreshQuakesRange: Hashable, Codable, Sendable, CaseIterable {
    /// The last hour.
    case allHour
    /// The last day: some 300 quakes.
    case allDay
    /// The last seven days.
    case allWeek
    /// The last thirty days: some 10 000 quakes.
    case allMonth
  }
}
