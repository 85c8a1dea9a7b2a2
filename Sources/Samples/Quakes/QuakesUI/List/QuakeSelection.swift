public import QuakesData

/// Which quake is selected in the list and which on the map of one window: the one follows the other.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public struct QuakeSelection: Hashable, Sendable {
  /// The quake that is selected in the list.
  public private(set) var list: Quake.ID?
  /// The quake that is selected on the map.
  public private(set) var map: Quake.ID?

  /// Makes the selection with which a window opens: the map follows the list.
  public init(list: Quake.ID? = nil) {
    self.list = list
    self.map = list
  }

  /// Somebody selected in the list; the map follows.
  public mutating func selectInList(_ quakeId: Quake.ID?) {
    list = quakeId
    if map != quakeId { map = quakeId }
  }

  /// Somebody selected on the map; the list follows, and scrolls there.
  ///
  /// - Returns: The quake to which the list scrolls; `nil` when it is selected there already, or nothing is.
  public mutating func selectOnMap(_ quakeId: Quake.ID?) -> Quake.ID? {
    map = quakeId
    guard list != quakeId else { return nil }
    list = quakeId
    return quakeId
  }
}
