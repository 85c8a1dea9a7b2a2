public import Foundation
public import QuakesData
public import TerminalUI

/// The local state of one window: what it shows and how, which no action and no log holds.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12 (`Content`, the root of the components).
public struct QuakesWindow: Sendable {
  /// What the list shows, and in which order.
  public var options: QuakeListOptions
  /// The quakes that are selected in the list and on the map.
  public var selection = QuakeSelection()
  /// What the arrows move in.
  public var focus = Focus.list
  /// How far the map is zoomed in, 0 to ``WorldView/zoomLimit``.
  public var zoom = 0
  /// What stands above everything else and takes the keys.
  public var dialog: Dialog?
  /// The field in which somebody types what to search for; `nil` when nobody does.
  public var searchField: TextField?
  /// The rows, and how far they are scrolled.
  var list = SelectableList<Quake.ID>()

  /// What the arrows move in.
  public enum Focus: Hashable, Sendable {
    /// The list of quakes.
    case list
    /// The map.
    case map
  }

  /// What stands above everything else.
  public enum Dialog: Hashable, Sendable {
    /// The choice of a feed, and the row of the one that Enter takes.
    case refresh(row: Int)
    /// Everything that is known of the selected quake.
    case detail
    /// The question whether a quake is to be deleted.
    case deleteSelected(quakeId: Quake.ID, ConfirmDialog)
    /// The question whether all are to be deleted.
    case deleteAll(ConfirmDialog)
    /// What the keys do.
    case help
  }

  /// Makes the state with which a window opens.
  ///
  /// - Parameter now: The moment.
  public init(now: Date) {
    options = QuakeListOptions(now: now)
  }

  /// What the camera of the map looks at; `nil` for the world as it is printed mostly.
  ///
  /// - Parameter quake: The quake that is selected on the map.
  public func mapCentre(_ quake: Quake?) -> QuakePlace? {
    // The whole world stays where it is; only a part of it follows the selection.
    zoom == 0 ? nil : quake.map { quake in QuakePlace(quake) }
  }
}
