public import ActionLog

/// Everything that a command takes from and gives to the world outside the log, so that tests run commands in process.
///
/// ``process()`` is the real one.
public struct ToolEnvironment: Sendable {
  /// What people and programs send.
  public var standardInput: any ToolInput
  /// Where data goes.
  public var standardOutput: any ToolOutput
  /// Where messages go: errors, progress, remarks.
  public var standardError: any ToolOutput
  /// Whether a person types the input.
  public var inputIsTerminal: Bool
  /// Whether a person reads the data.
  public var outputIsTerminal: Bool
  /// Whether a person reads the messages.
  public var errorIsTerminal: Bool
  /// The terminal of an interactive command; `nil` where there is none.
  public var terminal: (any ToolTerminal)?
  /// The environment variables.
  public var variables: [String: String]
  /// The directory that relative paths start from; `nil` for the process's own.
  public var currentDirectory: String?
  /// A directory for what is thrown away again.
  public var temporaryDirectory: String
  /// The way to the logs.
  public var fileSystem: any LogFileSystem
  /// The clock, and what a writer says of its process.
  public var logEnvironment: LogEnvironment
  /// The wish that the command ends.
  public var stop: StopRequest
  /// Time since some fixed moment that never goes backwards, for rates and pauses.
  public var uptime: @Sendable () -> Duration
  /// Waits, at most that long, for ``stop``; says whether the command shall end. Tests replace it to need no time.
  public var pause: @Sendable (Duration) -> Bool
  /// Runs the same program once more with other arguments, in a process of its own, and returns what it printed; `nil` where
  /// there is no such program.
  public var rerun: (@Sendable ([String]) throws -> [UInt8])?
  /// Starts the same program with other arguments, in a process that runs until it is killed; `nil` where there is no such program.
  public var startChild: (@Sendable ([String]) throws -> any ToolChild)?

  /// Makes an environment from its parts.
  public init(
    standardInput: any ToolInput,
    standardOutput: any ToolOutput,
    standardError: any ToolOutput,
    inputIsTerminal: Bool = false,
    outputIsTerminal: Bool = false,
    errorIsTerminal: Bool = false,
    terminal: (any ToolTerminal)? = nil,
    variables: [String: String] = [:],
    currentDirectory: String? = nil,
    temporaryDirectory: String,
    fileSystem: any LogFileSystem,
    logEnvironment: LogEnvironment = .live,
    stop: StopRequest = StopRequest(),
    uptime: @escaping @Sendable () -> Duration,
    pause: @escaping @Sendable (Duration) -> Bool,
    rerun: (@Sendable ([String]) throws -> [UInt8])? = nil,
    startChild: (@Sendable ([String]) throws -> any ToolChild)? = nil
  ) {
    self.standardInput = standardInput
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.inputIsTerminal = inputIsTerminal
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    self.terminal = terminal
    self.variables = variables
    self.currentDirectory = currentDirectory
    self.temporaryDirectory = temporaryDirectory
    self.fileSystem = fileSystem
    self.logEnvironment = logEnvironment
    self.stop = stop
    self.uptime = uptime
    self.pause = pause
    self.rerun = rerun
    self.startChild = startChild
  }
}

/// A running process of the same program. It ends when its standard input, which is empty, is closed with this value.
public protocol ToolChild: Sendable {
  /// Waits for the next line of its standard output, without its line feed.
  ///
  /// - Returns: `nil` at the end of the output.
  func nextLine() throws -> [UInt8]?

  /// Kills the process with `SIGKILL` and waits for its end.
  ///
  /// - Returns: The signal that ended it; `nil` if it had exited before.
  func kill() -> Int32?
}

/// Why a standard stream cannot go on.
public enum ToolStreamError: Error, Equatable, Sendable {
  /// Whoever read the other end went away, as `head` does. Not an error: the tool ends quietly.
  case closed
  /// The system refused, with its error number.
  case failed(errorNumber: Int32)
}

/// Where a tool reads what people and programs send it: standard input, or a test's script.
public protocol ToolInput: Sendable {
  /// Waits until there are bytes, then returns what is there. Blocks; never called on the cooperative pool.
  ///
  /// - Parameter limit: The most bytes to return, at least 1.
  /// - Returns: The bytes; none at the end of the input, or when the tool was asked to stop.
  func read(limit: Int) throws(ToolStreamError) -> [UInt8]
}

/// Where a tool writes: standard output, standard error, or a test's buffer.
public protocol ToolOutput: Sendable {
  /// Writes all the bytes. Blocks.
  func write(_ bytes: [UInt8]) throws(ToolStreamError)
}

/// The terminal that a person sits at, as far as an interactive command needs it.
public protocol ToolTerminal: Sendable {
  /// How many columns and rows fit on the screen at this moment.
  var size: (columns: Int, rows: Int) { get }

  /// Hands over every key as it is pressed, unechoed, until ``endKeyInput()``. Input and output must be terminals.
  func beginKeyInput() throws(ToolStreamError)

  /// Gives the terminal back as it was. Calling it twice does nothing more.
  func endKeyInput()
}
