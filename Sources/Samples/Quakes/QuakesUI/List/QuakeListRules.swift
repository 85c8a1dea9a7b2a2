public import QuakesData

/// What the list of quakes shows and allows, as functions of what is there.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public struct QuakeListRules: Hashable, Sendable {
  /// How many quakes the list shows.
  public var shownCount: Int
  /// How many quakes there are.
  public var totalCount: Int
  /// The quake that is selected in the list.
  public var selection: Quake.ID?

  /// Makes the rules of a moment.
  public init(shownCount: Int, totalCount: Int, selection: Quake.ID? = nil) {
    self.shownCount = shownCount
    self.totalCount = totalCount
    self.selection = selection
  }
}

extension QuakeListRules {
  /// Always: also while a feed is awaited, when a tap changes nothing.
  public var isRefreshEnabled: Bool { true }

  /// When there are quakes, whether the list shows them or not.
  public var isDeleteEnabled: Bool { totalCount > 0 }

  /// When one is selected in the list.
  public var isDeleteSelectedEnabled: Bool { isDeleteEnabled && selection != nil }

  /// When the list shows some.
  public var isSortEnabled: Bool { shownCount > 0 }

  /// When there are quakes, whether the list shows them or not.
  public var isDatePickerEnabled: Bool { totalCount > 0 }

  /// For instance `1 earthquake`.
  public var countText: String { shownCount == 1 ? "1 earthquake" : "\(shownCount) earthquakes" }

  /// For instance `8 total`.
  public var totalText: String { "\(totalCount) total" }

  /// What stands in place of an empty list; `nil` when it shows quakes.
  public var placeholder: Placeholder? {
    guard shownCount == 0 else { return nil }
    return totalCount == 0 ? .nothingLoaded : .nothingFound
  }
}

extension QuakeListRules {
  /// What stands in place of an empty list.
  public enum Placeholder: Hashable, Sendable {
    /// There are no quakes: `Refresh to load earthquakes`.
    case nothingLoaded
    /// None of the quakes is what was searched for: what the platform says then.
    case nothingFound

    /// The text, where it is ours.
    public var text: String? {
      switch self {
      case .nothingLoaded: "Refresh to load earthquakes"
      case .nothingFound: nil
      }
    }
  }
}
