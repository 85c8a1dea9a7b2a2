public import Foundation
import ImmutableData
public import ImmutableUI
import QuakesData
public import SampleSupport
public import TerminalUI

/// The screen of the quakes: list, map, menus and questions.
///
/// It is the container component of the guide: it selects from the store, passes values to the presenter (``QuakesPainter``),
/// and dispatches actions. The store can also be a position in a history.
@MainActor public final class QuakesScreen<Store: QuakesSource>: TerminalScreen {
  /// The environment of a screen.
  public struct Surroundings: Sendable {
    /// The clock.
    public var now: @Sendable () -> Date
    /// The calendar, whose time zone determines when days begin.
    public var calendar: Calendar
    /// The locale of numbers and dates.
    public var locale: Locale
    /// The characters of maps.
    public var mapStyle: MapStyle
    /// The clock of the map's camera. Without one the camera jumps, for output that is not a terminal.
    public var cameraClock: (any Clock<Duration>)?

    /// Creates an environment. The defaults are those of the process.
    public init(
      now: @escaping @Sendable () -> Date = { Date() }, calendar: Calendar = .current, locale: Locale = .current,
      mapStyle: MapStyle = .braille, cameraClock: (any Clock<Duration>)? = nil
    ) {
      self.now = now
      self.calendar = calendar
      self.locale = locale
      self.mapStyle = mapStyle
      self.cameraClock = cameraClock
    }
  }

  /// The local state.
  public private(set) var window: QuakesWindow
  private let dispatch: QuakesDispatch
  private let notices: ScreenNotices
  private let surroundings: Surroundings
  private let quakes: Selection<Store, QuakesQuery.Table, [Quake]>
  private let count: Selection<Store, Int>
  private let status: Selection<Store, Status?>
  private let selectedQuake: Selection<Store, Quake?>
  private let changes = ViewChanges(module: "QuakesUI")
  private let pilot = QuakeCameraPilot()

  /// Creates a screen, and dispatches the appearance of the list.
  public init(
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
  public var page: QuakesPage {
    QuakesPage(
      quakes: quakes.output(for: QuakesQuery.values(window.options, calendar: surroundings.calendar)),
      totalCount: count.output, status: status.output,
      selectedQuake: selectedQuake.output(for: QuakesQuery.quake(quakeId: window.selection.map)),
      notice: notices.text, now: surroundings.now())
  }

  /// The position of the user. Setting it restores the selection as far as it still exists.
  public var place: QuakesPlace {
    get { window.place(now: surroundings.now(), calendar: surroundings.calendar) }
    set { window.go(to: newValue) }
  }

  /// Draws the list and the map.
  public func render(on canvas: Canvas) {
    let page = page
    changes.note(
      "QuakeList", ["quakes": page.quakes, "totalCount": page.totalCount, "status": page.status])
    changes.note("QuakeMap", ["quakes": page.quakes, "selectedQuake": page.selectedQuake])
    let painter = QuakesPainter(
      page: page, calendar: surroundings.calendar, locale: surroundings.locale, mapStyle: surroundings.mapStyle,
      camera: pilot.camera)
    painter.draw(&window, on: canvas)
  }

  /// Handles a key.
  public func handle(_ key: Key) -> KeyResponse {
    let page = page
    notices.clear()
    let before = (camera: camera(page), zoom: window.zoom)
    let result = window.handle(key, page, calendar: surroundings.calendar)
    if window.zoom != before.zoom || window.selection.map != page.selectedQuake?.id { pilot.stop() }
    if let quake = self.page.selectedQuake, quake.id != page.selectedQuake?.id { move(before.camera, to: quake) }
    switch result {
    case .handled: return .handled
    case .ignored: return .ignored
    case .close: return .finish
    case .dispatch(let action):
      send(action)
      return .handled
    }
  }

  private func camera(_ page: QuakesPage) -> QuakeCamera {
    pilot.camera
      ?? QuakeCamera(
        center: window.mapCenter(page.selectedQuake) ?? WorldView(columns: 1, rows: 1).center,
        zoom: Double(window.zoom))
  }

  /// Moves the camera to the quake that was just selected. A map of the complete world shows it already.
  private func move(_ camera: QuakeCamera, to quake: Quake) {
    guard window.zoom > 0 else { return }
    let flight = QuakeFlight(from: camera, to: quake)
    window.zoom = Int(flight.camera(after: flight.seconds).zoom.rounded())
    if let clock = surroundings.cameraClock { pilot.start(flight, clock: clock) }
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
  public func listen(to store: some QuakesSource) {
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
