public import Foundation
public import QuakesData

/// What the store has to say to a window at a moment: all that a presenter is given.
public struct QuakesPage: Hashable, Sendable {
  /// The quakes of the list, in its order.
  public var quakes: [Quake]
  /// How many quakes there are.
  public var totalCount: Int
  /// How far fetching has come.
  public var status: Status?
  /// The quake that is selected on the map.
  public var selectedQuake: Quake?
  /// What happened that a person should know, for instance that a deletion was taken back.
  public var notice: String?
  /// The moment.
  public var now: Date

  /// Makes a page from its parts.
  public init(
    quakes: [Quake], totalCount: Int, status: Status? = nil, selectedQuake: Quake? = nil, notice: String? = nil,
    now: Date
  ) {
    self.quakes = quakes
    self.totalCount = totalCount
    self.status = status
    self.selectedQuake = selectedQuake
    self.notice = notice
    self.now = now
  }

  /// What the list shows and allows.
  ///
  /// - Parameter selection: The quake that is selected in the list. One that the list does not show cannot be deleted.
  public func rules(selection: Quake.ID?) -> QuakeListRules {
    QuakeListRules(
      shownCount: quakes.count, totalCount: totalCount, selection: row(of: selection) == nil ? nil : selection)
  }

  /// The row of a quake in the list; `nil` when it does not show it.
  ///
  /// - Complexity: O(number of quakes).
  func row(of quakeId: Quake.ID?) -> Int? {
    guard let quakeId else { return nil }
    return quakes.firstIndex { quake in quake.id == quakeId }
  }
}
