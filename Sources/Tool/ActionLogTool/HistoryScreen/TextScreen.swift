import ActionLog
import TerminalUI

/// A screen where there is no terminal: printed as text, and again after each line of keys.
@MainActor struct TextScreen {
  private let screen: HistoryScreen
  private let context: CommandContext

  init(_ screen: HistoryScreen, context: CommandContext) {
    self.screen = screen
    self.context = context
  }

  /// Runs until the screen is done or the input ends. Somebody who types at a terminal whose output goes elsewhere gets one
  /// look.
  func run() async throws {
    screen.showsProgress = false
    await screen.settled()
    if let failure = screen.travelFailure { throw failure }
    let driver = ScreenDriver(
      screen, columns: context.outputColumns ?? TerminalSize.standard.columns, rows: TerminalSize.standard.rows)
    try context.output.text(driver.text)
    guard !context.environment.inputIsTerminal else { return }
    var reader = LineReader(context.environment.standardInput, stop: context.environment.stop)
    while !driver.isFinished {
      let (lines, next) = try await OffPool.run { [reader] in
        var reader = reader
        return (try reader.next(), reader)
      }
      reader = next
      guard let lines else { return }
      for case .bytes(let line) in lines where !driver.isFinished {
        await press(String(decoding: line, as: UTF8.self), driver)
        try context.output.text("\n" + driver.text)
      }
    }
  }

  /// Each character is a key, and so is an empty line: Enter. The end of a line ends what is being typed. Whatever a key begins
  /// is waited for.
  private func press(_ line: String, _ driver: ScreenDriver) async {
    // What was wrong with the line before is not mended by this one.
    if screen.prompt?.fault != nil { driver.press(.escape) }
    if line.isEmpty { driver.press(.enter) }
    for character in line where !driver.isFinished {
      driver.press(.character(character))
      await screen.settled()
    }
    if !line.isEmpty, screen.prompt != nil { driver.press(.enter) }
    await screen.settled()
  }
}
