import ActionLog
import CSystem
import EventSourcing
import Foundation
import Platform

extension ToolEnvironment {
  /// The environment of the process: its standard streams, variables, directories and clock.
  package static func process() -> ToolEnvironment {
    let stop = StopRequest()
    let start = ContinuousClock.now
    let descriptors = StandardDescriptors.take()
    let isTerminal = [descriptors.input, descriptors.output, descriptors.messages].map { descriptor in
      isatty(descriptor) == 1
    }
    var environment = ToolEnvironment(
      standardInput: FileDescriptorInput(descriptor: descriptors.input, stop: stop),
      standardOutput: FileDescriptorOutput(descriptor: descriptors.output),
      standardError: FileDescriptorOutput(descriptor: descriptors.messages),
      temporaryDirectory: FileManager.default.temporaryDirectory.path, fileSystem: POSIXFileSystem(),
      uptime: { start.duration(to: .now) }, pause: { duration in stop.wait(for: duration) })
    environment.stop = stop
    environment.inputIsTerminal = isTerminal[0]
    environment.outputIsTerminal = isTerminal[1]
    environment.errorIsTerminal = isTerminal[2]
    environment.showsScreens = isTerminal[0] && isTerminal[1]
    environment.variables = ProcessInfo.processInfo.environment
    environment.rerun = { arguments in try ProgramRerun.run(arguments) }
    environment.startChild = { arguments in
      try SpawnedProcess(ProgramRerun.executable().path, arguments, readsOutput: true)
    }
    environment.childLimit = { SpawnedProcess.childLimit }
    environment.startCommand = { line in try SpawnedProcess(line) }
    // Without a thread, nothing is called: the caller holds a lock, and the line need not be updated.
    let timer = TimerThread { body in
      _ = SystemThread.start(body)
      return true
    }
    environment.schedule = { delay, body in timer.schedule(after: delay, body) }
    if isTerminal[1] { environment.outputWidth = { outputColumns } }
    return environment
  }

  private static var outputColumns: Int {
    var (columns, rows): (Int32, Int32) = (0, 0)
    // The usual width for a terminal that does not report its own.
    return csystem_terminal_size(STDOUT_FILENO, &columns, &rows) && columns > 0 ? Int(columns) : 80
  }
}

/// A file that leads a browser to an address, so that its secret is in no list of arguments.
struct BrowserRedirection {
  /// The time in which a shell starts the browser.
  private static let patience = Duration.seconds(5)
  #if os(macOS)
  private static let program = "open"
  #else
  private static let program = "xdg-open"
  #endif

  private let path: String
  private let fileSystem: any LogFileSystem

  /// Writes the file, which only the user can read, and opens it. Blocks.
  init(to address: String, _ context: CommandContext) throws {
    guard let start = context.environment.startCommand else {
      throw ToolFailure(
        "noBrowser", .environment, "this tool cannot start a browser", advice: "Open the printed address.")
    }
    path = context.environment.temporaryDirectory + "/action-log-inspect-\(UUID().uuidString).html"
    fileSystem = context.environment.fileSystem
    // The address has only letters, digits and -_./:#=.
    let page = "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=\(address)\">\n"
    do {
      let file = try fileSystem.open(path, for: .create)
      defer { file.close() }
      try file.append(Array(page.utf8))
      // The browser continues when this program ends.
      let words = ["/bin/sh", "-c", "\(Self.program) \"$1\" >/dev/null 2>&1 &", "sh", path]
      let command = try start(ToolCommandLine(words, readsOutput: false))
      command.closeInput()
      _ = command.wait { waited in waited < Self.patience }
    } catch {
      remove()
      throw error
    }
  }

  func remove() {
    // A file that is left in the temporary directory does no harm: its secret ends with the server.
    do { try fileSystem.remove(path) } catch {}
  }
}

/// Runs the current program in another process.
enum ProgramRerun {
  /// The variable that disables random seeds of hashing. It is removed, so that the second process iterates a `Set`
  /// in another order.
  private static let deterministicHashing = "SWIFT_DETERMINISTIC_HASHING"

  /// The variable with the number of ranges that a command may fold at a time.
  static let processors = "ACTION_LOG_PROCESSORS"

  static func executable() throws -> URL {
    guard let program = Bundle.main.executableURL else {
      throw ToolFailure(
        "noProgram", .environment, "the executable of this program cannot be found, so it cannot run a second process")
    }
    return program
  }

  /// The number of bytes at the end of the messages that an error repeats: some lines.
  private static let messagesLimit = 1_024

  /// Runs the program and returns its output; an error has the end of its messages. This process keeps half of the processors.
  static func run(_ arguments: [String]) throws -> [UInt8] {
    var variables = ProcessInfo.processInfo.environment.filter { variable in variable.key != deterministicHashing }
    let limit = variables[processors].flatMap(Int.init) ?? .max
    variables[processors] = String(max(1, min(limit, ProcessorCount.forFolds) / 2))
    // Without a temporary file, the messages are printed.
    let file = tmpfile()
    defer { if let file { fclose(file) } }
    let process = try SpawnedProcess(
      try executable().path, arguments, variables: variables, readsOutput: true, messages: file.map(fileno))
    let (output, ending) = try process.finish()
    guard ending == .status(0) else {
      throw ToolFailure(
        "secondFold", .environment, "the second process ended \(ending.text)",
        advice: file.map { file in "It printed: \(end(of: file))" } ?? "Its messages are above.")
    }
    return output
  }

  private static func end(of file: UnsafeMutablePointer<FILE>) -> String {
    var buffer = [UInt8](repeating: 0, count: messagesLimit)
    if fseek(file, -messagesLimit, SEEK_END) != 0 { rewind(file) }
    let count = fread(&buffer, 1, messagesLimit, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n").joined(separator: " ")
  }
}
