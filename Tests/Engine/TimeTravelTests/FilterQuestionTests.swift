import ActionLog
import AnimalsData
import EventSourcing
import FoodTruckData
import Foundation
import QuakesData
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// The filters of the samples' selectors as predicates over their committed logs.
@Suite struct FilterQuestionTests {
  private var fromTheBeginning: ReplayOptions {
    var options = ReplayOptions()
    options.usesSnapshots = false
    return options
  }

  private func history<M: Model>(_ model: M.Type) throws -> History<M> {
    let root = PackageFolder.root
    return try History<M>(at: root.appending(path: "logs/\(M.name)").path)
  }

  /// Returns the revisions that a filter finds, after it has checked that no other action changed the selection.
  private func revisions<M: Model, Slice: Equatable>(
    _ model: M.Type, _ filter: (M.State, M.Action) -> Bool, _ select: (M.State) -> Slice
  ) throws -> [Int] {
    let history = try history(model)
    let last = try history.lastRevision()
    var found: [Int] = []
    let work = try history.actions(includedBy: filter, in: 1...last, options: fromTheBeginning) {
      action in
      found.append(action.revision)
      return true
    }
    #expect(work.statesVisited == last + 1 && work.actionsFolded == last, "one fold")
    for revision in 1...last where !found.contains(revision) {
      let (old, new) = (try history.state(at: revision - 1), try history.state(at: revision))
      #expect(select(old) == select(new), "\(M.name) \(revision)")
    }
    #expect(!found.isEmpty && found.count < last)
    return found
  }

  @Test func animalsFiltersFindTheirActions() throws {
    let categories = try revisions(
      AnimalsModel.self, AnimalsFilter.filterCategories(), AnimalsState.selectCategories())
    let types = try categories.map { revision in try history(AnimalsModel.self).action(at: revision).record.type }
    #expect(
      Set(types).isSubset(of: [
        "data.persistentSession.didFetchCategories", "data.persistentSession.didReloadSampleData",
      ]))
    for category in [AnimalsData.Category.bird, .mammal, .fish] {
      _ = try revisions(
        AnimalsModel.self, AnimalsFilter.filterAnimals(categoryId: category.id),
        AnimalsState.selectAnimals(categoryId: category.id))
    }
  }

  @Test func quakesFilterFindsItsActions() throws {
    _ = try revisions(QuakesModel.self, QuakesFilter.filterQuakes()) { state in state.quakes.data }
  }

  @Test func foodTruckFiltersFindTheirActions() throws {
    _ = try revisions(FoodTruckLog.self, FoodTruckFilter.filterOrders(), FoodTruckState.selectOrders())
    _ = try revisions(FoodTruckLog.self, FoodTruckFilter.filterSales(), FoodTruckState.selectDonutSales())
    _ = try revisions(FoodTruckLog.self, FoodTruckFilter.filterActivities(), FoodTruckState.selectActivities())
    _ = try revisions(FoodTruckMirrorLog.self, FoodTruckMirrorFilter.filterOrders(), FoodTruckState.selectOrders())
  }

  @Test func searchEndsWhereTheCallerSays() throws {
    let history = try history(AnimalsModel.self)
    let last = try history.lastRevision()
    var found: [Int] = []
    let work = try history.actions(
      includedBy: { _, _ in true }, in: 3...last, options: fromTheBeginning
    ) { action in
      found.append(action.revision)
      return found.count < 2
    }
    #expect(found == [3, 4])
    #expect(work.statesVisited == 3, "the state before, and two more")
    #expect(throws: TimeTravelError.self) {
      try history.actions(includedBy: { _, _ in true }, in: 1...last + 1) { _ in true }
    }
  }
}
