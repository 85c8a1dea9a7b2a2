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
