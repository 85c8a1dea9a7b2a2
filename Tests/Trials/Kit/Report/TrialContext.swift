import Foundation

/// The common settings of the trials: the share of work, the directory, and the progress callback.
package struct TrialContext: Sendable {
  /// The seed.
  package var seed: UInt64
  /// The share of the complete programme, 0…1.
  package var share: Double
  /// A directory for files.
  package var directory: String
  /// The program that the trials start as children.
  package var executable: String
  /// Called periodically with the progress.
  package var tell: @Sendable (String) -> Void

  /// Creates a context.
  package init(
    seed: UInt64, share: Double, directory: String, executable: String,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.seed = seed
    self.share = share
    self.directory = directory
    self.executable = executable
    self.tell = tell
  }

  /// Returns the share of a number, at least 1.
  package func part(of count: Int) -> Int { max(1, Int(Double(count) * share)) }

  /// Returns an unused path in the directory.
  package func path(_ name: String) throws -> String {
    let path = directory + "/" + name
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    return path
  }
}
