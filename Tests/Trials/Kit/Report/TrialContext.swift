import Foundation

/// What the trials have in common: how much to do, where, and whom to tell.
package struct TrialContext: Sendable {
  /// Where the draws begin.
  package var seed: UInt64
  /// The share of the whole programme that is done, 0…1.
  package var share: Double
  /// A directory for files.
  package var directory: String
  /// The program that the trials start as children.
  package var executable: String
  /// Told now and then how far it is.
  package var tell: @Sendable (String) -> Void

  /// Makes a context.
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

  /// The share of a number of things to do, at least one.
  package func part(of count: Int) -> Int { max(1, Int(Double(count) * share)) }

  /// A fresh path in the directory.
  package func path(_ name: String) throws -> String {
    let path = directory + "/" + name
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    return path
  }
}
