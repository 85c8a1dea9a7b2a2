package import CounterData
import EventSourcing
package import ImmutableData
import ImmutableUI
import Observation
package import SampleSupport
package import TerminalUI
package import TimeTravel

/// The screen of the counter: one or two windows on one store. A debug drawer shows the past of the store in them.
@MainActor @Observable package final class CounterScreen: TerminalScreen {
  typealias Command = @MainActor @Sendable (CounterScreen) -> Void

  @ObservationIgnored private let dispatch: Dispatch
  /// The store whose log is shown; `nil` for a preview.
  private let recorded: TimeTravelStore<CounterModel>?
  private let notices: ScreenNotices
  @ObservationIgnored private let makeWindow: @MainActor (String) -> CounterWindow
  private var windows: [CounterWindow]
  private var keyboard = 0
  private var message = ""
  private var showsHelp = false
  @ObservationIgnored private var response = KeyResponse.handled

  package init(
    _ store: some CounterSource & ImmutableData.Dispatcher<CounterState, CounterAction>,
    recorded: TimeTravelStore<CounterModel>? = nil, notices: ScreenNotices = ScreenNotices()
  ) {
    dispatch = Dispatch(store)
    self.recorded = recorded
    self.notices = notices
    makeWindow = { title in CounterWindow(title, store: store) }
    windows = [CounterWindow("Counter", store: store)]
  }
}

// MARK: - Keys

extension CounterScreen {
  private var bindings: [KeyBinding<Command>] {
    var bindings: [KeyBinding<Command>] = [
      KeyBinding("?", "help") { screen in screen.showsHelp = true },
      KeyBinding(["+", "=", .up], "increment") { screen in screen.send(.didTapIncrementButton) },
      KeyBinding(["-", .down], "decrement") { screen in screen.send(.didTapDecrementButton) },
      KeyBinding([.enter, " "], "press") { screen in
        screen.send(
          screen.windows[screen.keyboard].focus == .increment ? .didTapIncrementButton : .didTapDecrementButton)
      },
      KeyBinding([.left, .right], "button") { screen in
        let focus = screen.windows[screen.keyboard].focus
        screen.windows[screen.keyboard].focus = focus == .increment ? .decrement : .increment
      },
      KeyBinding("q", "quit") { screen in screen.response = .finish },
      KeyBinding("w", windows.count == 1 ? "two windows" : "one window") { screen in screen.toggleWindows() },
      KeyBinding([.tab, .backTab], "window", isEnabled: windows.count > 1) { screen in
        screen.keyboard = (screen.keyboard + 1) % screen.windows.count
      },
    ]
    guard let recorded else { return bindings }
    // The key is listed here, and the debug drawer handles it.
    bindings.append(KeyBinding("[", "past") { screen in screen.response = .ignored })
    if notices.canResume, case .store(_, let recorder) = recorded.live {
      bindings.append(KeyBinding("r", "record again") { _ in recorder.resume() })
    }
    return bindings
  }

  package func handle(_ key: Key) -> KeyResponse {
    if showsHelp {
      showsHelp = false
      return .handled
    }
    guard let command = KeyBinding.command(of: key, in: bindings) else { return .ignored }
    message = ""
    response = .handled
    command(self)
    return response
  }

  /// Dispatches an action. If the reducer rejects it, the reason is shown and recorded in the log.
  private func send(_ action: CounterAction) {
    do {
      try dispatch(action)
    } catch {
      message = "refused: \(error)"
      // The reducer did not see an action that was dispatched into the past.
      if let error = error as? TimeTravelError, error.code == .paused { return }
      guard case .store(_, let recorder)? = recorded?.live else { return }
      Task {
        do {
          _ = try await recorder.recordRefusal(of: action, error: error)
        } catch {
          message = "\(error)"
        }
      }
    }
  }

  private func toggleWindows() {
    if windows.count == 1 {
      windows = [makeWindow("Window 1"), makeWindow("Window 2")]
    } else {
      windows = [makeWindow("Counter")]
      keyboard = 0
    }
  }
}

// MARK: - Drawing

extension CounterScreen {
  /// Draws the title, the windows, a message, and the keys.
  package func render(on canvas: Canvas) {
    let parts = canvas.rows(.fixed(1), .fixed(6), .flexible(), .fixed(1), .fixed(2))
    StatusLine(StyledText(" " + (recorded?.live.path ?? "preview, not recorded"), .bold), trailing: trailing)
      .draw(in: parts[0])
    if windows.count == 1 {
      windows[0].draw(in: parts[1], hasKeyboard: true)
    } else {
      let columns = parts[1].columns(.flexible(), .flexible())
      for (index, window) in windows.enumerated() {
        window.draw(in: columns[index], hasKeyboard: index == keyboard)
      }
    }
    if let problem = notices.recordingFailure { parts[2].paragraph(problem, style: .color(.red)) }
    parts[3].write(StyledText(message, .color(.yellow)), row: 0)
    guard showsHelp else { return KeyBinding.draw(bindings, in: parts[4]) }
    InfoDialog("Keys", keysOf: bindings).draw(in: canvas)
    parts[4].write("any key closes", row: parts[4].height - 1, style: .dim)
  }

  private var trailing: StyledText {
    recorded?.isPaused == true ? "past " : "live "
  }
}
