package import ActionLog
import JSONCoding

/// The streams, variables, file system and clock of a command, replaceable so that tests run commands in process.
package struct ToolEnvironment: Sendable {
  package var standardInput: any ToolInput
  package var standardOutput: any ToolOutput
  package var standardError: any ToolOutput
  package var inputIsTerminal = false
  package var outputIsTerminal = false
  package var errorIsTerminal = false
  /// Whether a screen can be shown, because input and output are terminals.
  package var showsScreens = false
  package var variables: [String: String] = [:]
  /// The directory for relative paths; `nil` for that of the process.
  package var currentDirectory: String?
  package var temporaryDirectory: String
  package var fileSystem: any LogFileSystem
  /// The clock of log writers, and the process that they record.
  package var logEnvironment = LogEnvironment.live
  package var stop = StopRequest()
  /// A monotonic clock for rates and pauses.
  package var uptime: @Sendable () -> Duration
  /// Waits for ``stop`` for at most the given time, and returns whether the command has to stop. Tests replace it to
  /// save time.
  package var pause: @Sendable (Duration) -> Bool
  /// Runs the same program with other arguments in another process, and returns its output; `nil` if there is no such
  /// program.
  package var rerun: (@Sendable ([String]) throws -> [UInt8])?
  /// Starts the same program with other arguments in a process that runs until it is killed; `nil` if there is no
  /// such program.
  package var startChild: (@Sendable ([String]) throws -> any ToolChild)?
  /// Returns how many children can run at a time with the files that this process may open; `nil` for any number.
  package var childLimit: @Sendable () -> Int? = { nil }
  /// Starts another program, to which `consume` delivers actions; `nil` if that is not possible.
  package var startCommand: (@Sendable (ToolCommandLine) throws -> any ToolCommand)?
  /// Returns the width of the terminal that the output goes to; `nil` if there is none.
  package var outputWidth: @Sendable () -> Int? = { nil }
  /// Calls a closure after a delay, on another thread, and returns a closure that cancels the call; `nil` if progress is shown only
  /// when a job reports it.
  package var schedule: ProgressLine.Schedule?
  /// The bytes that a bounded answer takes on the way to its reader.
  var answerSize = AnswerSize.json
  /// The words for what messages refer to; `nil` for those of the command line.
  var wording: MessageWording?

  package init(
    standardInput: any ToolInput, standardOutput: any ToolOutput, standardError: any ToolOutput,
    temporaryDirectory: String, fileSystem: any LogFileSystem, uptime: @escaping @Sendable () -> Duration,
    pause: @escaping @Sendable (Duration) -> Bool
  ) {
    self.standardInput = standardInput
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.temporaryDirectory = temporaryDirectory
    self.fileSystem = fileSystem
    self.uptime = uptime
    self.pause = pause
  }
}

extension ToolEnvironment {
  /// The environment of a command that another one runs in this process: without input and terminal, and with these outputs.
  func running(into output: any ValueOutput, messages: any ValueOutput) -> ToolEnvironment {
    var environment = self
    environment.standardInput = NoInput()
    environment.standardOutput = output
    environment.standardError = messages
    environment.inputIsTerminal = false
    environment.outputIsTerminal = false
    environment.errorIsTerminal = false
    environment.showsScreens = false
    return environment
  }
}

struct NoInput: ToolInput {
  func read(limit: Int) throws(ToolStreamError) -> [UInt8] { [] }
}

/// The bytes that a value of an answer takes where the answer is sent.
enum AnswerSize: Sendable {
  case json
  /// The answer is sent as JSON, and again as the text of a JSON string.
  case jsonAndText

  func bytes(of value: JSONValue) -> Int {
    let bytes = value.bytes()
    guard self == .jsonAndText else { return bytes.count }
    // JSON has no other characters that a string escapes: control characters are escaped in it already.
    return bytes.reduce(2 * bytes.count) { sum, byte in
      byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? sum + 1 : sum
    }
  }

  /// The size of the line feed or the comma after a value.
  var bytesOfSeparator: Int { self == .json ? 1 : 2 }

  /// The size of the characters around a value: its name, two quotes, a colon and a comma.
  func bytes(aroundMember name: String) -> Int {
    self == .json ? name.utf8.count + 4 : 2 * name.utf8.count + 10
  }
}

/// A running process of the same program. It ends when this value is released, which closes its standard input.
package protocol ToolChild: Sendable {
  /// Writes bytes to its standard input. Blocks while the pipe is full. `closed` is thrown if the process has ended or closed it.
  func send(_ bytes: [UInt8]) throws(ToolStreamError)

  /// Waits for the next line of its standard output, and returns it without the line feed.
  func nextLine() throws -> [UInt8]?

  /// Closes its standard input, waits for its end, and returns its status, or 128 plus the number of the signal that terminated it.
  func end() -> Int32

  /// Kills the process, waits for it, and returns the signal that terminated it; `nil` if it had exited before. May be called while
  /// another thread waits for a line, which then gets `nil`.
  func kill() -> Int32?
}

package struct ToolCommandLine: Sendable, Equatable {
  /// The program, by its path or its name in `PATH`, and its arguments.
  package var words: [String]
  /// Environment variables in addition to those of this process.
  package var variables: [String: String]
  /// Whether its standard output is read; otherwise, it is that of this process.
  package var readsOutput: Bool

  package init(_ words: [String], variables: [String: String] = [:], readsOutput: Bool) {
    self.words = words
    self.variables = variables
    self.readsOutput = readsOutput
  }
}

/// A running program that takes actions from its standard input. All methods block, and are called by one thread at a time.
package protocol ToolCommand: Sendable {
  /// Writes bytes to its standard input while it passes the lines of its standard output to a closure.
  ///
  /// - Parameters:
  ///   - mayWait: Receives the time since the last line, and returns whether to continue. It is called several times a second.
  ///   - takeLine: Receives a line without its line feed, and the number of bytes that were written before it was read, and returns
  ///     whether to expect another line.
  func exchange(
    _ bytes: [UInt8], mayWait: (Duration) -> Bool, takeLine: (ArraySlice<UInt8>, Int) throws -> Bool
  ) throws -> ToolExchangeEnd

  func closeInput()

  /// Waits for its end as long as a closure that gets the time since the call returns `true`; `nil` if it is still running.
  func wait(mayWait: (Duration) -> Bool) -> ToolCommandEnding?

  /// Ends it: with `SIGTERM`, and with `SIGKILL` if it is still running after a second.
  func terminate()
}

/// The reason why an exchange with a program ended.
package enum ToolExchangeEnd: Sendable, Equatable {
  case isComplete
  case outputEnded
  case timedOut
}

package enum ToolCommandEnding: Sendable, Equatable {
  case status(Int32)
  case killed(signal: Int32)
}

package enum ToolStreamError: DescribedError, Equatable, Sendable {
  package enum Code: String, Sendable, CaseIterable {
    case closed
    case inputOutput
  }

  /// The reader closed the pipe, as `head` does. The tool then ends quietly.
  case closed
  case failed(errorNumber: Int32)

  package var code: Code {
    switch self {
    case .closed: .closed
    case .failed: .inputOutput
    }
  }

  package var message: String {
    switch self {
    case .closed: "the reader of the output closed it"
    case .failed(let number): "standard input or output failed: \(SystemCall.message(for: number))"
    }
  }
}

/// The input of a tool: standard input, or a test's script.
package protocol ToolInput: Sendable {
  /// Waits until bytes are available and returns them; none at the end or after a stop request. Never called on the cooperative pool.
  func read(limit: Int) throws(ToolStreamError) -> [UInt8]
}

/// An output of a tool: standard output, standard error, or a test's buffer.
package protocol ToolOutput: Sendable {
  func write(_ bytes: [UInt8]) throws(ToolStreamError)

  /// Whether its reader is known to have closed it, so that further work for it is useless.
  var isClosed: Bool { get }
}

extension ToolOutput {
  package var isClosed: Bool { false }
}

/// An output within the program that takes the values of an answer, so that nothing is encoded and parsed again.
protocol ValueOutput: ToolOutput {
  /// Takes a value that another output would get as a line.
  func take(_ value: JSONValue) throws(ToolStreamError)
}

extension ValueOutput {
  /// Drops text, which no answer in JSON has.
  func write(_ bytes: [UInt8]) throws(ToolStreamError) {}
}
