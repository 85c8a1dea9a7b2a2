#if DEBUG
import Foundation
#endif

/// Where the notes of labelled listeners go, and whether any are made.
///
/// This is the one place where the library prints by itself, and it takes two decisions of the developer: a debug build,
/// and the flag ``key``. Tests put their own output in place of the standard one, for a task.
package struct DebugOutput: Sendable {
  /// The Boolean in the user defaults that asks for notes. The launch argument `-com.northbronson.ImmutableUI.Debug 1`
  /// sets it for one run.
  package static let key = "com.northbronson.ImmutableUI.Debug"

  /// Notes on standard output when ``key`` is set; nothing in release builds.
  package static let standard = DebugOutput(isEnabled: { flag }, write: { line in print(line) })

  /// What listeners write to that are made in this task.
  @TaskLocal package static var current = standard

  private let isEnabled: @Sendable () -> Bool
  private let write: @Sendable (String) -> Void

  /// Makes an output.
  ///
  /// - Parameters:
  ///   - isEnabled: Is asked before each note, so that the flag can be set while a program runs.
  ///   - write: Takes one note, without a line feed.
  package init(isEnabled: @escaping @Sendable () -> Bool, write: @escaping @Sendable (String) -> Void) {
    self.isEnabled = isEnabled
    self.write = write
  }

  /// Writes a note on what a listener does.
  ///
  /// - Parameters:
  ///   - label: Who asked to be noted. Listeners without a label make no notes.
  ///   - listener: Its address tells listeners with one label apart.
  func note(_ event: String, label: String?, of listener: AnyObject) {
    #if DEBUG
    guard let label, isEnabled() else { return }
    write("[ImmutableUI][AsyncListener]: \(address(of: listener)) \(event): \(label)")
    #endif
  }

  private static var flag: Bool {
    #if DEBUG
    UserDefaults.standard.bool(forKey: key)
    #else
    false
    #endif
  }
}
