package import Foundation
import ImmutableData
import ImmutableUI
import QuakesData
package import SampleSupport
package import TerminalUI

/// The screen of the quakes: list, map, menus and questions.
///
/// It is the container component of the guide: it selects from the store, passes values to the presenter (``QuakesPainter``),
/// and dispatches actions. The store can also be a position in a history.
@MainActor package final class QuakesScreen<Store: QuakesSource>: TerminalScreen {
  /// The environment of a screen.
  package struct Surroundings: Sendable {
    /// The clock.
    package var now: @Sendable () -> Date
    /// The calendar, whose time zone determines when days begin.
    package var calendar: Calendar
    /// The locale of numbers and dates.
    package var locale: Locale
    /// The characters of maps.
    package var mapStyle: MapStyle

    /// Creates an environment. The defaults are those of the process.
    package init(
      now: @escaping @Sendable () -> Date = { Date() }, calendar: Calendar = .current, locale: Locale = .current,
      mapStyle: MapStyle = .braille
    ) {
      self.now = now
      self.calendar = calendar
      self.locale = locale
      self.mapStyle = mapStyle
    }
  }

  /// The local state.
  package private(set) var window: QuakesWindow
  private let dispatch: QuakesDispatch
  private let notices: ScreenNotices
  private let surroundings: Surroundings
  private let quakes: Selection<Store, QuakesQuery.Table, [Quake]>
  private let count: Selection<Store, Int>
  private let status: Selection<Store, Status?>
  private let selectedQuake: Selection<Store, Quake?>
  private let changes = ViewChanges(module: "QuakesUI")

  /// Creates a screen, and dispatches the appearance of the list.
  package init(
    _ store: Store, dispatch: QuakesDispatch, notices: ScreenNotices = ScreenNotices(),
    surroundings: Surroundings = Surroundings()
  ) {
    let window = QuakesWindow(now: surroundings.now())
    self.window = window
    self.dispatch = dispatch
    self.notices = notices
    self.surroundings = surroundings
    quakes = Selection(store, QuakesQuery.values(window.options, calendar: surroundings.calendar))
    count = Selection(store, QuakesQuery.count)
    status = Selection(store, QuakesQuery.status)
    selectedQuake = Selection(store, QuakesQuery.quake(quakeId: nil))
    send(.onAppear)
  }

  /// The current values of the store for the window.
  package var page: QuakesPage {
    QuakesPage(
      quakes: quakes.output(for: QuakesQuery.values(window.options, calendar: surroundings.calendar)),
      totalCount: count.output, status: status.output,
      selectedQuake: selectedQuake.output(for: QuakesQuery.quake(quakeId: window.selection.map)),
      notice: notices.text, now: surroundings.now())
  }

  /// The position of the user. Setting it restores the selection as far as it still exists.
  package var place: QuakesPlace {
    get { window.place(now: surroundings.now(), calendar: surroundings.calendar) }
    set { window.go(to: newValue) }
  }

  /// Draws the list and the map.
  package func render(on canvas: Canvas) {
    let page = page
    changes.note(
      "QuakeList", ["quakes": page.quakes, "totalCount": page.totalCount, "status": page.status])
    changes.note("QuakeMap", ["quakes": page.quakes, "selectedQuake": page.selectedQuake])
    let painter = QuakesPainter(
      page: page, calendar: surroundings.calendar, locale: surroundings.locale, mapStyle: surroundings.mapStyle)
    painter.draw(&window, on: canvas)
  }

  /// Handles a key.
  package func handle(_ key: Key) -> KeyResponse {
    let page = page
    notices.clear()
    let result = window.handle(key, page, calendar: surroundings.calendar)
    // A map that is zoomed in shows the surroundings of a quake that was just selected; one of the complete world shows it already.
    if window.zoom > 0, let quake = self.page.selectedQuake, quake.id != page.selectedQuake?.id {
      window.zoom = WorldView.nearZoom
    }
    switch result {
    case .handled: return .handled
    case .ignored: return .ignored
    case .close: return .finish
    case .dispatch(let action):
      send(action)
      return .handled
    }
  }

  /// Dispatches an action. If it is rejected, the error is shown.
  private func send(_ action: QuakesAction.UI.QuakeList) {
    do {
      try dispatch(.ui(.quakeList(action)))
    } catch {
      notices.report("\(error)")
    }
  }
}

extension ScreenNotices {
  /// Reports every deletion that `store` rolls back from now on.
  package func listen(to store: some QuakesSource) {
    listen(to: store, describing: Self.text)
  }

  private static func text(of action: QuakesAction) -> String? {
    guard case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, let reason)))) = action else {
      return nil
    }
    let what = quakes.count == 1 ? "'\(quakes[0].name)' was" : "\(quakes.count) earthquakes were"
    return "\(what) not deleted, and \(quakes.count == 1 ? "is" : "are") back: \(reason)"
  }
}
