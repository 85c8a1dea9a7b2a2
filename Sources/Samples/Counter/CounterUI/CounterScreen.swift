package import CounterData
import EventSourcing
package import ImmutableData
import ImmutableUI
import Observation
package import TerminalUI
package import TimeTravel

/// The screen of the counter: one or two windows on one store. A debug drawer shows the past of the store in them.
@MainActor @Observable package final class CounterScreen: TerminalScreen {
  /// What a key does.
  typealias Command = @MainActor @Sendable (CounterScreen) -> Void

  @ObservationIgnored private let dispatch: Dispatch
  @ObservationIgnored private let recording: CounterRecording?
  @ObservationIgnored private let makeWindow: @MainActor (String) -> CounterWindow
  private var windows: [CounterWindow]
  private var keyboard = 0
  private var message = ""
  private var showsHelp = false
  /// The response to the last key.
  @ObservationIgnored private var response = KeyResponse.handled

  /// Creates a screen.
  ///
  /// - Parameters:
  ///   - store: The live store.
  ///   - recording: The log of the store; `nil` for a preview.
  package init<Store>(
    _ store: Store, recording: CounterRecording? = nil
  )
  where
    Store: ImmutableData.Dispatcher<CounterState, CounterAction> & ImmutableData.Selector<CounterState> & Streamer<
      CounterState, CounterAction
    >
      & AnyObject
  {
    dispatch = Dispatch(store)
    self.recording = recording
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
    guard let recording else { return bindings }
    // The key is listed here, and the debug drawer handles it.
    bindings.append(KeyBinding("[", "past") { screen in screen.response = .ignored })
    if let resume = recording.resume() { bindings.append(KeyBinding("r", "record again") { _ in resume() }) }
    return bindings
  }

  /// Handles a key.
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
      guard let recording else { return }
      Task {
        do {
          try await recording.recordRefusal(action, error)
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
    StatusLine(StyledText(" " + (recording?.title() ?? "preview, not recorded"), .bold), trailing: trailing)
      .draw(in: parts[0])
    if windows.count == 1 {
      windows[0].draw(in: parts[1], hasKeyboard: true)
    } else {
      let columns = parts[1].columns(.flexible(), .flexible())
      for (index, window) in windows.enumerated() {
        window.draw(in: columns[index], hasKeyboard: index == keyboard)
      }
    }
    if let problem = recording?.problem() { parts[2].paragraph(problem, style: .color(.red)) }
    parts[3].write(StyledText(message, .color(.yellow)), row: 0)
    guard showsHelp else { return KeyBinding.draw(bindings, in: parts[4]) }
    InfoDialog("Keys", keysOf: bindings).draw(in: canvas)
    parts[4].write("any key closes", row: parts[4].height - 1, style: .dim)
  }

  private var trailing: StyledText {
    recording?.isPast() == true ? "past " : "live "
  }
}

/// The functions of the log that the counter's screen uses.
package struct CounterRecording: Sendable {
  /// The title in the first row. Observed.
  package var title: @MainActor @Sendable () -> String
  /// Whether the past is shown. Observed.
  package var isPast: @MainActor @Sendable () -> Bool
  /// Records a rejected action in the log.
  package var recordRefusal: @MainActor @Sendable (CounterAction, any Error) async throws -> Void
  /// The reason why nothing is recorded; `nil` if recording works. Observed.
  package var problem: @MainActor @Sendable () -> String?
  /// Retries recording; `nil` if that cannot help. Observed.
  package var resume: @MainActor @Sendable () -> (@MainActor @Sendable () -> Void)?

  /// Creates the functions from a store.
  ///
  /// - Parameters:
  ///   - store: The store, whose live store a recorder records.
  ///   - problem: Returns the reason why nothing is recorded; `nil` if recording works.
  ///   - canResume: Returns whether retrying can help.
  package init(
    _ store: TimeTravelStore<CounterModel>,
    problem: @escaping @MainActor @Sendable () -> String? = { nil },
    canResume: @escaping @MainActor @Sendable () -> Bool = { false }
  ) {
    title = { store.live.path }
    isPast = { store.isPaused }
    recordRefusal = { action, error in
      guard case .store(_, let recorder) = store.live else { return }
      _ = try await recorder.recordRefusal(of: action, error: error)
    }
    self.problem = problem
    resume = {
      guard canResume(), case .store(_, let recorder) = store.live else { return nil }
      return { recorder.resume() }
    }
  }
}
