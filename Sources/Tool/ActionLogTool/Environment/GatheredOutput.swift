import Platform

/// Output that is kept.
final class GatheredOutput: ToolOutput {
  private let contents = Locked([UInt8]())

  /// All that was written.
  var bytes: [UInt8] { contents.withLock { contents in contents } }

  func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    contents.withLock { contents in contents += bytes }
  }
}
