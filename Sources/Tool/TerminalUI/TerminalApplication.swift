#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The event loop of a screen on a terminal.
///
/// - The terminal is switched to the alternate screen and to raw mode. It is restored however the process ends: normally, by an
///   error, by a terminating signal, even by a trap. Only `SIGKILL` cannot be handled. While the process is suspended (Ctrl-Z),
///   the shell has the terminal; afterwards the screen is redrawn.
/// - Only changed cells are sent. While a slow terminal receives one screen, further changes are coalesced. A terminal that knows
///   synchronized output (the private mode 2026) shows the changes of a screen all at once; others ignore the mode.
/// - The screen is redrawn at once when the window is resized.
/// - `SIGINT` (Ctrl-C), `SIGTERM` and `SIGHUP` end the loop, so that the caller can close its resources. A second signal ends
///   the process at once.
/// - If input or output is not a terminal, or the terminal is dumb (`TERM=dumb`), the screen is printed as plain text. Each
///   line of input is then a line of keys, an empty line is Enter, and the screen is printed again after each line.
///
/// The cooperative thread pool is never blocked: reading and writing have their own threads.
///
/// ``run()`` changes signal handlers and terminal modes, and restores both before it returns. Only one application can run in a
/// process at a time.
@MainActor public final class TerminalApplication {
  private let session: ScreenSession
  private let options: TerminalOptions
  private let events: TerminalEvents
  private var shown: ScreenBuffer?

  /// Creates an application on a terminal, by default that of the process.
  public init(_ screen: any TerminalScreen, options: TerminalOptions = TerminalOptions()) {
    let events = TerminalEvents()
    self.events = events
    self.options = options
    session = ScreenSession(screen) { events.post(.changed) }
  }

  /// Ends the loop with ``TerminalEnding/stopped``. Can be called on any thread.
  public nonisolated func stop() {
    events.post(.stopped(.stopped))
  }

  /// Runs until the screen finishes, the terminal disconnects, or a terminating signal arrives.
  ///
  /// - Returns: The reason. After a signal, close all resources, then call ``TerminalEnding/exitProcess(status:)``.
  /// - Throws: ``TerminalError`` if the terminal cannot be used. Its modes are then unchanged.
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

  /// Draws, and waits until the terminal has received everything. Events are queued in the meantime.
  private func draw(_ device: TerminalDevice) async throws(TerminalError) -> TerminalEnding? {
    let screen = session.draw(size: device.size)
    // After a resize, the contents of the terminal are unknown.
    let old = shown.flatMap { shown in shown.size == screen.size ? shown : nil }
    let bytes = TerminalDevice.frame(ScreenUpdate.bytes(from: old, to: screen, usesColor: options.usesColor))
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
      try device.reacquire()
      shown = nil
      session.invalidate()
    case .stopped(let ending): return ending
    case .ended: return .inputEnded
    case .failed(let error): throw error
    }
    return nil
  }
}

/// The event loop without a terminal: prints the screen as text, and reads lines of keys.
@MainActor struct PlainTextLoop {
  /// The number of yields after the last line, so that streams and tasks can deliver the effects of its keys.
  private static let yieldCount = 100

  let session: ScreenSession
  let options: TerminalOptions
  let events: TerminalEvents

  func run() async throws(TerminalError) -> TerminalEnding {
    let reader = try TerminalReader(descriptor: options.input, kind: .lines, events: events)
    try reader.start()
    defer { reader.stop() }
    var shown = ""
    while true {
      guard try await show(&shown) else { return .inputEnded }
      if session.isFinished { return .finished }
      for event in await events.next() {
        switch event {
        case .keys(let keys):
          for key in keys where !session.isFinished { session.handle(key) }
        case .ended:
          for _ in 0..<Self.yieldCount { await Task.yield() }
          _ = try await show(&shown)
          return session.isFinished ? .finished : .inputEnded
        case .stopped(let ending): return ending
        case .failed(let error): throw error
        case .changed, .resized, .suspended, .continued: break
        }
      }
    }
  }

  private static func collapsingEmptyRows(_ text: String) -> String {
    var lines: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.isEmpty || lines.last != "" {
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  /// - Returns: Whether the output still has a reader.
  private func show(_ shown: inout String) async throws(TerminalError) -> Bool {
    guard session.needsDrawing else { return true }
    let text = Self.collapsingEmptyRows(session.draw(size: TerminalDevice.size(of: options)).text)
    guard text != shown else { return true }
    let isFirst = shown.isEmpty
    shown = text
    return try await TerminalOutput.write(Array((isFirst ? text : "\n" + text).utf8), to: options.output)
  }
}

/// The reason for which a terminal application ended.
public enum TerminalEnding: Hashable, Sendable {
  /// The screen finished.
  case finished
  /// The terminal disconnected, or the input ended.
  case inputEnded
  /// ``TerminalApplication/stop()`` was called.
  case stopped
  /// A terminating signal arrived.
  case signal(Int32)

  /// Ends the process: raises the signal with its default action if one ended the application, otherwise exits with the status.
  ///
  /// Call it from programs only, after all resources are closed.
  public func exitProcess(status: Int32 = 0) -> Never {
    if case .signal(let number) = self { terminate(by: number) }
    exit(status)
  }
}

/// Terminates the process by a signal. Declared outside of the type, where `signal` is the system function.
private func terminate(by number: Int32) -> Never {
  signal(number, SIG_DFL)
  // Dispatch blocks all signals on its threads. If every thread does, a signal stays pending forever.
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, number)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  kill(getpid(), number)
  // The signal is delivered before `kill` returns, or very soon after.
  while true { pause() }
}
