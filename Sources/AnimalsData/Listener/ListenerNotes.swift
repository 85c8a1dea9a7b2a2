#if DEBUG
import Foundation
#endif

/// Where a listener's notes on every action go, and whether any are made.
///
/// It takes two decisions of the developer: a debug build, and the flag ``key``. Tests put their own output in place of
/// the standard one, for a task.
package struct ListenerNotes: Sendable {
  /// The Boolean in the user defaults that asks for notes. The launch argument `-com.northbronson.AnimalsData.Debug 1`
  /// sets it for one run.
  package static let key = "com.northbronson.AnimalsData.Debug"

  /// Notes on standard output when ``key`` is set; nothing in release builds.
  package static let standard = ListenerNotes(isEnabled: { flag }, write: { line in print(line) })

  /// What listeners write to whose listening begins in this task.
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

  /// Notes an action, the state that it met, and the state that it led to: the folded one, not the live one of a later
  /// moment.
  func note(_ action: AnimalsAction, in oldState: AnimalsState) {
    #if DEBUG
    guard isEnabled() else { return }
    write("[AnimalsData][Listener] Old State: \(oldState)")
    write("[AnimalsData][Listener] Action: \(action)")
    do {
      write("[AnimalsData][Listener] New State: \(try AnimalsReducer.reduce(state: oldState, action: action))")
    } catch {
      write("[AnimalsData][Listener] New State: none: \(error)")
    }
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
