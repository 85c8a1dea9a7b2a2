public import Foundation
import ImmutableData
public import ImmutableUI
public import Observation
import QuakesData
public import TerminalUI

/// The quakes in a terminal: list, map, menus, questions.
///
/// It is the container of the guide: it selects from the store, hands what it found to the presenter (``QuakesPainter``),
/// and dispatches what keys mean. The store can be a live one or a place in the past.
@MainActor public final class QuakesScreen<Store: QuakesSource>: TerminalScreen {
  /// What a screen takes from its surroundings.
  public struct Surroundings: Sendable {
    /// The clock.
    public var now: @Sendable () -> Date
    /// Decides, with its time zone, when days begin.
    public var calendar: Calendar
    /// The language of numbers and dates.
    public var locale: Locale
    /// What maps are drawn with.
    public var mapStyle: MapStyle
    /// The clock of the map's camera; without one the camera jumps. Output that is not a terminal has no use for flights.
    public var cameraClock: (any Clock<Duration>)?

    /// Makes surroundings; what is not named is what the process has.
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
  private let notices: QuakesNotices
  private let surroundings: Surroundings
  private let quakes: SelectQuakesValues<Store>
  private let count: SelectQuakesCount<Store>
  private let status: SelectQuakesStatus<Store>
  private let selectedQuake: SelectQuake<Store>
  private let changes = ViewChanges(module: "QuakesUI")
  private let pilot = QuakeCameraPilot()

  /// Makes a screen, and tells that the list appeared.
  ///
  /// - Parameters:
  ///   - store: What to show.
  ///   - dispatch: Told what people do.
  ///   - notices: What happens in the background.
  ///   - surroundings: Clock, calendar, language, characters.
  public init(
    _ store: Store, dispatch: QuakesDispatch, notices: QuakesNotices = QuakesNotices(),
    surroundings: Surroundings = Surroundings()
  ) {
    let window = QuakesWindow(now: surroundings.now())
    self.window = window
    self.dispatch = dispatch
    self.notices = notices
    self.surroundings = surroundings
    quakes = SelectQuakesValues(store, options: window.options, calendar: surroundings.calendar)
    count = SelectQuakesCount(store)
    status = SelectQuakesStatus(store)
    selectedQuake = SelectQuake(store, quakeId: nil)
    tell(.onAppear)
  }

  /// What the store has to say to the window now.
  public var page: QuakesPage {
    quakes.update(options: window.options)
    selectedQuake.update(quakeId: window.selection.map)
    return QuakesPage(
      quakes: quakes.output, totalCount: count.output, status: status.output, selectedQuake: selectedQuake.output,
      notice: notices.latest, now: surroundings.now())
  }

  /// Where the person is. To set it is to go there, as far as what was selected is still there.
  public var place: QuakesPlace {
    get { window.place(now: surroundings.now(), calendar: surroundings.calendar) }
    set { window.go(to: newValue) }
  }

  /// Draws list and map.
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

  /// Does what a key asks for.
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
      tell(action)
      return .handled
    }
  }

  /// The camera of the map.
  private func camera(_ page: QuakesPage) -> QuakeCamera {
    pilot.camera
      ?? QuakeCamera(
        center: window.mapCentre(page.selectedQuake) ?? WorldView(columns: 1, rows: 1).centre,
        zoom: Double(window.zoom))
  }

  /// Moves the camera to the quake that was just selected. A map of the complete world shows it already.
  private func move(_ camera: QuakeCamera, to quake: Quake) {
    guard window.zoom > 0 else { return }
    let flight = QuakeFlight(from: camera, to: quake)
    window.zoom = Int(flight.camera(after: flight.seconds).zoom.rounded())
    if let clock = surroundings.cameraClock { pilot.start(flight, clock: clock) }
  }

  /// Dispatches; a refusal is told on the screen.
  private func tell(_ action: QuakesAction.UI.QuakeList) {
    do {
      try dispatch(.ui(.quakeList(action)))
    } catch {
      notices.tell("\(error)")
    }
  }
}

/// What happened in the background that a person should know of: deletions that were taken back, and what could not be
/// stored. Reading it is observed (`Observation`).
@MainActor @Observable public final class QuakesNotices {
  /// Why nothing is recorded, as long as that lasts; else what was told last; `nil` when nothing was, or it was read.
  public var latest: String? { recordingFailure ?? last }
  private var last: String?
  private var recordingFailure: String?
  @ObservationIgnored private var task: Task<Void, Never>?

  /// Makes a place for notices.
  public init() {}

  deinit {
    task?.cancel()
  }

  /// Tells of every deletion that `store` takes back from now on.
  public func listen(to store: some QuakesSource) {
    let stream = store.makeStream()
    task?.cancel()
    task = Task { [weak self] in
      do {
        for try await (_, action) in stream {
          guard let self else { return }
          if let text = Self.text(of: action) { self.tell(text) }
        }
      } catch {
        // The stream of a store does not fail, and that of a history says by its end that it moved far.
        return
      }
    }
  }

  /// Tells something.
  public func tell(_ text: String) {
    last = text
  }

  /// Tells that nothing is recorded, until that has passed: reading it is not enough.
  ///
  /// - Parameter text: Why; `nil` when it is recorded again.
  public func tell(recordingFailure text: String?) {
    recordingFailure = text
  }

  /// Tells of a failure, unless something else stands there that nobody has read yet: a deletion that was taken back
  /// says more than the failure behind it.
  public func tellOfFailure(_ text: String) {
    if last == nil { last = text }
  }

  /// Forgets what was told: somebody has read it. What keeps things from being recorded stays.
  public func clear() {
    if last != nil { last = nil }
  }

  private static func text(of action: QuakesAction) -> String? {
    guard case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, let reason)))) = action else {
      return nil
    }
    let what = quakes.count == 1 ? "'\(quakes[0].name)' was" : "\(quakes.count) earthquakes were"
    return "\(what) not deleted, and \(quakes.count == 1 ? "is" : "are") back: \(reason)"
  }
}
