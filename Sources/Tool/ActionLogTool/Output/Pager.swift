import Platform
import TerminalUI

/// A running pager. All methods block.
package protocol ToolPager: Sendable {
  /// Writes bytes to its standard input; `closed` is thrown if the user has ended it.
  func send(_ bytes: [UInt8]) throws(ToolStreamError)

  /// Ends its standard input, and waits until the user ends it.
  func end() -> Int32

  /// Waits until the user ends it. Can be called while another thread writes.
  func wait() -> ToolCommandEnding
}

/// Sends the output of a command through the user's pager, as `git` does.
///
/// The pager starts with the first output, so a command that prints nothing does not start it. While it shows the output, it has the
/// terminal: progress is not shown, and messages for the same terminal are printed after it has ended. If the user ends it early, the
/// command ends like one whose output is closed by `head`.
final class Pager: Sendable {
  private enum Phase: Sendable {
    case waiting
    case running(any ToolPager)
    case off
  }

  private struct Contents: Sendable {
    var phase = Phase.waiting
    /// Messages for the terminal that arrived while the pager has it.
    var held: [UInt8] = []
  }

  /// More messages are printed at once: no command has so many.
  private static let heldLimitBytes = 1 << 20

  private let line: ToolCommandLine
  private let original: ToolEnvironment
  private let contents = Locked(Contents())

  /// Creates the pager of a command line; `nil` if its output is not paged.
  init?(_ request: ArgumentParser.Request, of tool: ActionLogTool, _ environment: ToolEnvironment) {
    let arguments = request.arguments
    guard environment.outputIsTerminal, environment.startPager != nil, environment.variables["TERM"] != "dumb",
      !arguments.has(.json), !arguments.has(.noPager), Self.isPaged(request, of: tool),
      let line = Self.commandLine(environment.variables)
    else { return nil }
    self.line = line
    original = environment
  }

  private static func isPaged(_ request: ArgumentParser.Request, of tool: ActionLogTool) -> Bool {
    switch request {
    case .overview, .help: true
    case .version: false
    case .run(let command, let arguments):
      tool.programSummary == nil && command.effect != .acts
        && !command.options.contains { option in option.name == "follow" && arguments.has(option) }
    }
  }

  /// The pager that `PAGER` names, or else `less`; `nil` for an empty `PAGER`, or `cat`.
  ///
  /// `less` gets the options of `git`: it leaves the text on the terminal and ends at once if the text fits. A variable `LESS` of the
  /// user takes precedence.
  private static func commandLine(_ variables: [String: String]) -> ToolCommandLine? {
    let words = (variables["PAGER"] ?? "less").split(whereSeparator: \.isWhitespace).map(String.init)
    guard let program = words.first, words != ["cat"] else { return nil }
    var added: [String: String] = [:]
    for (name, value) in ["LESS": "FRX", "LV": "-c"] where variables[name] == nil { added[name] = value }
    // Only a shell understands quotes, variables and pipes.
    return words.joined().allSatisfy(\.isPlainInShells)
      ? ToolCommandLine(words, variables: added, readsOutput: false)
      : ToolCommandLine(
        ["/bin/sh", "-c", variables["PAGER"] ?? program], variables: added, readsOutput: false)
  }

  var environment: ToolEnvironment {
    var environment = original
    environment.standardOutput = Output { bytes throws(ToolStreamError) in try self.write(bytes) }
    if original.errorIsTerminal {
      environment.standardError = Output { bytes throws(ToolStreamError) in try self.writeMessage(bytes) }
    }
    environment.isPaging = { self.running != nil }
    return environment
  }

  private struct Output: ToolOutput {
    let take: @Sendable ([UInt8]) throws(ToolStreamError) -> Void

    func write(_ bytes: [UInt8]) throws(ToolStreamError) { try take(bytes) }
  }

  private var running: (any ToolPager)? {
    contents.withLock { contents in if case .running(let pager) = contents.phase { pager } else { nil } }
  }

  private func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    start()
    if let running { try running.send(bytes) } else { try original.standardOutput.write(bytes) }
  }

  private func start() {
    contents.withLock { contents in
      guard case .waiting = contents.phase else { return }
      do {
        contents.phase = try original.startPager?(line).map(Phase.running) ?? .off
      } catch {
        // Without a pager the output is still complete.
        contents.phase = .off
      }
      if case .running(let pager) = contents.phase { original.stop.beforeEnding { _ = pager.wait() } }
    }
  }

  private func writeMessage(_ bytes: [UInt8]) throws(ToolStreamError) {
    let isHeld = contents.withLock { contents -> Bool in
      guard case .running = contents.phase, contents.held.count + bytes.count <= Self.heldLimitBytes else {
        return false
      }
      contents.held += bytes
      return true
    }
    if !isHeld { try original.standardError.write(bytes) }
  }

  /// Waits until the user has ended the pager, and prints the messages that were held back. Blocks.
  func finish() {
    _ = running?.end()
    let held = contents.withLock { contents -> [UInt8] in
      contents.phase = .off
      defer { contents.held = [] }
      return contents.held
    }
    original.stop.beforeEnding(nil)
    guard !held.isEmpty else { return }
    do throws(ToolStreamError) { try original.standardError.write(held) } catch {
      // A closed standard error must not change the exit status.
    }
  }
}
