#if canImport(SwiftUI)
import ImmutableUI
import QuakesData
import QuakesUI
public import SwiftUI

/// The quakes of a day, and the selected quake.
public struct Content: View {
  private let searchDate: Date
  @SwiftUI.State private var order = SortOrder.forward
  @SwiftUI.State private var selectedQuakeId: Quake.ID?

  /// Creates the view. A ``Provider`` passes it the store.
  public init(searchDate: Date) {
    self.searchDate = searchDate
  }

  /// The view's content.
  public var body: some View {
    VStack {
      QuakeHeader(quakeId: selectedQuakeId)
      Button("Sort") { order = order == .forward ? .reverse : .forward }
      QuakeList(searchDate: searchDate, order: order, selection: selectedQuakeId) { quakeId in
        selectedQuakeId = quakeId
      }
    }
  }
}

struct QuakeHeader: View {
  @SelectQuake private var quake: Quake?

  init(quakeId: Quake.ID?) {
    _quake = SelectQuake(quakeId: quakeId)
  }

  var body: some View { Text(QuakeTitle(quake).title) }
}

struct QuakeList: View {
  @SelectQuakesValues private var quakes: [Quake]
  @SelectQuakesCount private var count
  @Dispatch private var dispatch
  @SwiftUI.State private var problem = ""
  private let selection: Quake.ID?
  private let select: @MainActor (Quake.ID) -> Void

  init(
    searchDate: Date, order: SortOrder, selection: Quake.ID?, select: @escaping @MainActor (Quake.ID) -> Void
  ) {
    _quakes = SelectQuakesValues(searchText: "", searchDate: searchDate, sort: \Quake.magnitude, order: order)
    self.selection = selection
    self.select = select
  }

  var body: some View {
    let rules = QuakeListRules(shownCount: quakes.count, totalCount: count, selection: selection)
    VStack {
      ForEach(quakes) { quake in
        Button("\(quake.magnitudeString()) \(quake.name)") { select(quake.id) }
      }
      Text(rules.placeholder?.text ?? "")
      Text(rules.countText)
      Text(rules.totalText)
      Button("Delete Selected") {
        if let selection { send(.onTapDeleteSelectedQuakeButton(quakeId: selection)) }
      }
      .disabled(!rules.isDeleteSelectedEnabled)
      Text(problem)
    }
    .onAppear { send(.onAppear) }
  }

  private func send(_ action: QuakesAction.UI.QuakeList) {
    do { try dispatch(.ui(.quakeList(action))) } catch { problem = "\(error)" }
  }
}

struct ContentPreviews: PreviewProvider {
  static var previews: some View {
    Provider(store) { Content(searchDate: Quake.xxsmall.time) }
  }

  private static var store: QuakesStore {
    do { return QuakesStore(try PreviewStore.make()) } catch {
      fatalError("the reducer rejected the sample data: \(error)")
    }
  }
}
#endif
