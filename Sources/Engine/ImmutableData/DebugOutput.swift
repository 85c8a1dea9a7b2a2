#if DEBUG
import Foundation
#endif

/// The destination of debug lines, and the flags that turn them on.
///
/// Debug lines need two decisions of the developer: a debug build, and the flag of a module. This is the only place where the
/// library prints. Tests and programs replace the destination for a task.
package struct DebugOutput: Sendable {
  /// Prints to standard output and reads the flags from the user defaults. Release builds print nothing.
  package static let standard = DebugOutput(isEnabled: isSet, write: { line in print(line) })

  /// The output of listeners and screens that are created in this task.
  @TaskLocal package static var current = standard

  private let isEnabled: @Sendable (_ flag: String) -> Bool
  private let writeLine: @Sendable (String) -> Void

  /// Creates an output.
  package init(isEnabled: @escaping @Sendable (_ flag: String) -> Bool, write: @escaping @Sendable (String) -> Void) {
    self.isEnabled = isEnabled
    writeLine = write
  }

  /// The user default that turns on the lines of a module, for instance `com.northbronson.AnimalsData.Debug`. The launch
  /// argument `-com.northbronson.AnimalsData.Debug 1` sets it for one run.
  package static func flag(of module: String) -> String { "com.northbronson.\(module).Debug" }

  /// Writes lines if the flag of a module is set. In release builds `lines` is not called.
  package func write(_ module: String, _ lines: () -> [String]) {
    #if DEBUG
    guard isEnabled(Self.flag(of: module)) else { return }
    for line in lines() { writeLine(line) }
    #endif
  }

  /// Whether the user defaults set a flag; `false` in release builds.
  @Sendable package static func isSet(_ flag: String) -> Bool {
    #if DEBUG
    UserDefaults.standard.bool(forKey: flag)
    #else
    false
    #endif
  }
}
