import SampleSupport

// What people do.

extension QuakesWorkload {
  /// How many deleted quakes can still be tapped somewhere.
  private static let deletedLimit = 16
  /// While there are fewer quakes, somebody may delete all of them: nobody throws much away, and what comes back after
  /// a failure is one line of a log.
  private static let deleteAllLimit = 100

  mutating func userAction() -> QuakesAction {
    guard wasAskedFor else { return appear() }
    if quakes.isEmpty { return refresh() }
    // In thousandths. Feeds bring more than people delete.
    switch generator.next(below: 1_000) {
    case ..<60: return appear()
    case ..<640: return refresh()
    case ..<650: return tooLate()
    case ..<656 where quakes.count < Self.deleteAllLimit: return deleteAll()
    default: return delete()
    }
  }

  private mutating func appear() -> QuakesAction {
    if !wasAskedFor {
      wasAskedFor = true
      isWaiting = true
      requests.append(.fetchStored)
    }
    return .ui(.quakeList(.onAppear))
  }

  /// The button is always enabled: while the list is waiting, it does nothing.
  private mutating func refresh() -> QuakesAction {
    let range = generator.element(of: QuakesAction.UI.QuakeList.RefreshQuakesRange.allCases)
    if !isWaiting {
      isWaiting = true
      requests.append(.fetchFeed(range))
    }
    return .ui(.quakeList(.onTapRefreshQuakesButton(range: range)))
  }

  private mutating func delete() -> QuakesAction {
    let quake = quakes.pickRecent(using: &generator)
    quakes.remove(id: quake.id)
    if deleted.count == Self.deletedLimit { deleted.removeFirst() }
    deleted.append(quake)
    requests.append(.delete([quake]))
    return .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: quake.id)))
  }

  private mutating func deleteAll() -> QuakesAction {
    requests.append(.delete(quakes.rows.sorted { lhs, rhs in lhs.id < rhs.id }))
    quakes.removeAll()
    return .ui(.quakeList(.onTapDeleteAllQuakesButton))
  }

  /// A tap on a quake that is gone, which the reducer refuses.
  private mutating func tooLate() -> QuakesAction {
    // A feed, or a failure of the store, can have brought it back.
    guard let quake = deleted.last(where: { quake in quakes[quake.id] == nil }) else { return refresh() }
    return .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: quake.id)))
  }
}
