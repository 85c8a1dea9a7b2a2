import Foundation

/// Where an application in the terminal reads and writes, and what may be sent there.
public struct TerminalOptions: Sendable {
  /// The descriptor that keys come from.
  public var input: Int32
  /// The descriptor that screens go to.
  public var output: Int32
  /// Whether colours are welcome.
  public var isColoured: Bool
  /// Whether the terminal can place the cursor; else screens are printed as plain text, see ``TerminalApplication``.
  public var isCapable: Bool

  /// Makes options.
  ///
  /// - Parameters:
  ///   - input: The descriptor that keys come from.
  ///   - output: The descriptor that screens go to.
  ///   - variables: The environment variables, of which `NO_COLOR` (no-color.org) and `TERM` count; `nil` for those of the
  ///     process.
  public init(input: Int32 = 0, output: Int32 = 1, variables: [String: String]? = nil) {
    let variables = variables ?? ProcessInfo.processInfo.environment
    self.input = input
    self.output = output
    isColoured = (variables["NO_COLOR"] ?? "").isEmpty
    // A terminal that does not say what it is can do what all of them can; "dumb" is how editors' consoles say no.
    isCapable = variables["TERM"] != "dumb"
  }
}
