public import QuakesData

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  /// What the menu shows, for instance `All Hour`.
  public var title: String {
    switch self {
    case .allHour: "All Hour"
    case .allDay: "All Day"
    case .allWeek: "All Week"
    case .allMonth: "All Month"
    }
  }
}
