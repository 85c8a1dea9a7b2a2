/// Runs a screen where there is no terminal that could show it: prints it as text, and takes lines of keys.
@MainActor struct PlainTextLoop {
  /// After the last line the consequences of its keys may still be on their way through streams and tasks; each gives way
  /// to the next so many times at most.
  private static let hopLimit = 100

  let session: ScreenSession
  let options: TerminalOptions
  let events: TerminalEvents

  /// Runs until the screen is done, the input ends, or a signal asks the process to end.
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
          for _ in 0..<Self.hopLimit { await Task.yield() }
          _ = try await show(&shown)
          return session.isFinished ? .finished : .inputEnded
        case .stopped(let ending): return ending
        case .failed(let error): throw error
        case .changed, .resized, .suspended, .continued: break
        }
      }
    }
  }

  /// The text without the room that only a screen needs: several empty rows become one.
  private static func tightened(_ text: String) -> String {
    var lines: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.isEmpty || lines.last != "" {
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  /// Prints the screen if it is another one than before.
  ///
  /// - Returns: Whether somebody is there to read it.
  private func show(_ shown: inout String) async throws(TerminalError) -> Bool {
    guard session.needsDrawing else { return true }
    let text = Self.tightened(session.draw(size: TerminalDevice.size(of: options)).text)
    guard text != shown else { return true }
    let isFirst = shown.isEmpty
    shown = text
    return try await TerminalOutput.write(Array((isFirst ? text : "\n" + text).utf8), to: options.output)
  }
}
