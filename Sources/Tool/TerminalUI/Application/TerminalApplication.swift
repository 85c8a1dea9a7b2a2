/// Runs a screen on a terminal until it is done.
///
/// - The terminal gets the alternate screen and sends each key at once. It is given back as it was however the process
///   ends: normally, by an error, by a signal that asks it to end, even by a trap; only `SIGKILL` cannot be helped. While the
///   process is suspended (Ctrl-Z) the terminal is the shell's, and is drawn anew afterwards.
/// - Only cells that changed are sent, and while a slow terminal takes a screen, the changes that follow are gathered.
/// - A new size of the window is drawn at once.
/// - `SIGINT` (Ctrl-C), `SIGTERM` and `SIGHUP` end the loop, so that the caller can close what is open; a second one ends the
///   process at once.
/// - Where input or output is no terminal, or the terminal is dumb (`TERM=dumb`), the screen is printed as plain text. Then
///   each line of the input is a line of keys, an empty one is Enter, and the screen is printed again after each.
///
/// Nothing of it blocks the cooperative thread pool: reading and writing have threads of their own.
///
/// It touches signals and the terminal, and gives back both when ``run()`` returns. A process has one terminal, so one
/// application can run at a time.
@MainActor public final class TerminalApplication {
  private let session: ScreenSession
  private let options: TerminalOptions
  private let events: TerminalEvents
  private var shown: ScreenBuffer?

  /// Makes an application.
  ///
  /// - Parameters:
  ///   - screen: What it shows.
  ///   - options: The terminal; the process's own by default.
  public init(_ screen: any TerminalScreen, options: TerminalOptions = TerminalOptions()) {
    let events = TerminalEvents()
    self.events = events
    self.options = options
    session = ScreenSession(screen) { events.post(.changed) }
  }

  /// Asks the loop to end, from any thread; it ends with ``TerminalEnding/stopped``.
  public nonisolated func stop() {
    events.post(.stopped(.stopped))
  }

  /// Runs until the screen is done, the terminal goes away, or a signal asks the process to end.
  ///
  /// - Returns: Why it ended. For a signal, close what is open and then call ``TerminalEnding/exitProcess(status:)``.
  /// - Throws: ``TerminalError`` when the terminal cannot be used; it is as it was then.
  public func run() async throws(TerminalError) -> TerminalEnding {
    guard TerminalDevice.isTerminal(options) else {
      return try await PlainTextLoop(session: session, options: options, events: events).run()
    }
    let device = try TerminalDevice(options, events: events)
    do {
      let ending = try await loop(device)
      device.close()
      return ending
    } catch {
      device.close()
      throw error
    }
  }

  private func loop(_ device: TerminalDevice) async throws(TerminalError) -> TerminalEnding {
    while true {
      if session.needsDrawing, let ending = try await draw(device) { return ending }
      if session.isFinished { return .finished }
      for event in await events.next() {
        if let ending = try handle(event, device) { return ending }
        if session.isFinished { return .finished }
      }
    }
  }

  /// Draws, and waits until the terminal has taken it; what happens meanwhile gathers.
  private func draw(_ device: TerminalDevice) async throws(TerminalError) -> TerminalEnding? {
    let screen = session.draw(size: device.size)
    // The size may be another one than before; then nothing is known of what the terminal shows.
    let old = shown.flatMap { shown in shown.size == screen.size ? shown : nil }
    let bytes = ScreenUpdate.bytes(from: old, to: screen, isColoured: options.isColoured)
    shown = screen
    guard !bytes.isEmpty else { return nil }
    return try await device.write(bytes) ? nil : .inputEnded
  }

  private func handle(_ event: TerminalEvent, _ device: TerminalDevice) throws(TerminalError) -> TerminalEnding? {
    switch event {
    case .keys(let keys):
      for key in keys where !session.isFinished { session.handle(key) }
    case .changed: break
    case .resized:
      shown = nil
      session.invalidate()
    case .suspended:
      try device.suspend()
      shown = nil
      session.invalidate()
    case .continued:
      try device.takeAgain()
      shown = nil
      session.invalidate()
    case .stopped(let ending): return ending
    case .ended: return .inputEnded
    case .failed(let error): throw error
    }
    return nil
  }
}
