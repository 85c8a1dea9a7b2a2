package import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

/// The context of a running command: its arguments, the models, the input and the outputs.
package struct CommandContext: Sendable {
  let tool: ActionLogTool
  package let arguments: ParsedArguments
  package internal(set) var environment: ToolEnvironment
  package let output: Printer
  package let messages: Printer
  /// The progress of the last job; `nil` before the first.
  private let lastProgress = Locked<ProgressLine?>(nil)
  /// The last error that prevented a file in the cache folder from being written.
  let cacheFailure = Locked<FileSystemError?>(nil)
  let refusals = Locked<[SnapshotRefusal]>([])
  /// The refusals that a warning has reported.
  let warned = Locked<[SnapshotRefusal]>([])

  init(tool: ActionLogTool, arguments: ParsedArguments, environment: ToolEnvironment) {
    self.tool = tool
    self.arguments = arguments
    self.environment = environment
    func printer(_ output: any ToolOutput, isTerminal: Bool) -> Printer {
      let style = Style(isTerminal: isTerminal, variables: environment.variables, choice: arguments.color)
      return Printer(output, isTerminal: isTerminal, style: style)
    }
    output = printer(environment.standardOutput, isTerminal: environment.outputIsTerminal)
    messages = printer(environment.standardError, isTerminal: environment.errorIsTerminal)
  }

  /// A command line of this tool that can be pasted into a shell.
  func commandLine(_ words: [String]) -> String {
    ([tool.name] + words).map(ShellWord.quoted).joined(separator: " ")
  }

  var wording: MessageWording { environment.wording ?? .commandLine(of: tool) }

  var parser: ArgumentParser { ArgumentParser(toolName: tool.name, commands: tool.commands) }

  package var isJSON: Bool { arguments.has(.json) }

  /// Whether to omit notes and progress.
  package var isQuiet: Bool { arguments.has(.quiet) }

  /// Prints a note on the messages; not with `--quiet` or `--json`.
  package func note(_ text: MessageText) throws(ToolStreamError) {
    guard !isQuiet, !isJSON else { return }
    try messages.line(messages.style.dim(TerminalText.escaping(wording.message(text))))
  }

  /// Notes why later questions are as slow as this one, if a file in the cache folder could not be written.
  func noteCacheFailure() throws(ToolStreamError) {
    guard let error = cacheFailure.withLock({ error in error }) else { return }
    try hint("the cache cannot be written, so later questions take as long: \(error.path): \(error.message)")
  }

  /// Prints a hint on a possible mistake in a query; not with `--quiet`.
  func hint(_ text: MessageText) throws(ToolStreamError) {
    guard !isQuiet else { return }
    guard isJSON else { return try note(text) }
    try messages.json(["warning": .string(wording.message(text))])
  }

  /// Prints a warning, whatever `--quiet` says.
  package func warn(_ text: MessageText) throws(ToolStreamError) {
    let text = wording.message(text)
    if isJSON {
      try messages.json(["warning": .string(text)])
    } else {
      try messages.line(messages.style.yellow("warning: ") + TerminalText.escaping(text))
    }
  }

  /// Prints an answer: its value in JSON, or what `text` prints of it.
  func answer<Answer>(_ answer: Answer, _ shape: AnswerShape<Answer>, text: () throws -> Void) throws {
    if isJSON { try output.json(shape.json(answer)) } else { try text() }
  }

  /// - Parameter noneText: The note on an empty one, whose status is negative.
  func print<Item>(_ items: [Item], as row: AnswerRow<Item>, noneText: MessageText) throws -> ExitStatus {
    var rows = AnswerRows(row, self)
    for item in items { _ = try rows.add(item) }
    try rows.finish()
    if items.isEmpty { try note(noneText) }
    return items.isEmpty ? .negative : .success
  }

  /// - Returns: Whether to end: a stop is requested, or the output has no reader.
  func pause(_ duration: Duration) -> Bool {
    environment.pause(duration) || environment.standardOutput.isClosed
  }

  /// Sets what is printed if a signal ends the command from here on.
  func onInterruption(_ text: String) {
    let line = "interrupted. " + text
    environment.stop.endingLine = TerminalText.escaping(
      isJSON ? String(decoding: JSONValue.object(["warning": .string(line)]).bytes(), as: UTF8.self) : line)
  }

  /// Creates the progress of a possibly long job, in place of that of the job before. It ends with the command, or with its first
  /// output on the same terminal.
  func progress(_ label: String, unit: ProgressLine.Unit) -> ProgressLine { progress(label, unit, continues: false) }

  /// Runs a job that reports the bytes that are done and their total, and shows them as its progress.
  func showing<Result>(
    _ label: String, _ job: (_ progress: (Int, Int) -> Void) throws -> Result
  ) throws -> Result {
    let progress = progress(label, unit: .bytes)
    let result = try job { done, total in
      // A closed terminal is noticed when the result is printed.
      do { try progress.update(done: done, total: total) } catch {}
    }
    try progress.finish()
    return result
  }

  /// Begins a possibly long part of a job that reports nothing: a terminal shows its label and how long it has taken.
  func begin(_ label: String) { _ = progress(label, .actions, continues: true) }

  /// - Parameter continues: Whether the user has been waiting since the beginning of the job before.
  private func progress(_ label: String, _ unit: ProgressLine.Unit, continues: Bool) -> ProgressLine {
    let printer = Printer(environment.standardError, isTerminal: messages.isTerminal, style: messages.style)
    // A closed terminal is noticed when the result is printed.
    do { try endProgress() } catch {}
    let line = ProgressLine(
      label, unit: unit, printer: printer, isQuiet: isQuiet, isJSON: isJSON,
      uptime: environment.uptime, schedule: environment.schedule,
      after: continues ? lastProgress.withLock { last in last } : nil, shown: lastProgress)
    lastProgress.withLock { last in last = line }
    // Other text on the same terminal begins on its own line. A message may come in the middle of a job.
    let last = lastProgress
    messages.beforePrinting { () throws(ToolStreamError) in try last.withLock { last in last }?.makeRoom() }
    if output.isTerminal {
      output.beforePrinting { () throws(ToolStreamError) in try last.withLock { last in last }?.finish() }
    }
    return line
  }

  func endProgress() throws(ToolStreamError) { try lastProgress.withLock { last in last }?.finish() }

  /// Ends the progress, warns of unused snapshots, and writes the buffers to the streams.
  package func flush() throws(ToolStreamError) {
    try endProgress()
    try warnOfRefusals()
    try output.flush()
    try messages.flush()
  }
}

extension CommandContext {
  /// The width at which lines of a table are truncated: that of the terminal or of `COLUMNS`; `nil` for a pipe.
  package var outputColumns: Int? {
    if let columns = environment.variables["COLUMNS"].flatMap({ text in Int(text) }), columns > 0 {
      return min(columns, Self.columnLimit)
    }
    return environment.outputIsTerminal ? environment.outputWidth() : nil
  }

  /// The maximum width of a terminal, whose size has 16 bits.
  private static let columnLimit = Int(UInt16.max)

  func warnOfTornTail(_ ending: LogEnding?) throws(ToolStreamError) {
    guard case .torn(let bytes, let place)? = ending else { return }
    try warn(
      "the log ends in a torn tail of \(HumanText.count(bytes, "byte")): \(place.path), byte \(place.byteOffset). "
        + "The next writer truncates it; \(command: .repair) does so now.")
  }
}
