#if DEBUG
import Foundation
#endif

/// Where the notes of a product's listener on every action go, and whether any are made.
///
/// It takes two decisions of the developer: a debug build, and the product's flag, see ``key(of:)``. Tests put their own output
/// in place of the standard one, for a task.
package struct ListenerNotes: Sendable {
  /// Notes on standard output when a product's flag is set; nothing in release builds.
  package static let standard = ListenerNotes(isEnabled: { key in isSet(key) }, write: { line in print(line) })

  /// What listeners write to whose listening begins in this task.
  @TaskLocal package static var current = standard

  private let isEnabled: @Sendable (_ key: String) -> Bool
  private let write: @Sendable (String) -> Void

  /// Makes an output.
  ///
  /// - Parameters:
  ///   - isEnabled: Is asked for a flag before each note, so that it can be set while a program runs.
  ///   - write: Takes one note, without a line feed.
  package init(isEnabled: @escaping @Sendable (_ key: String) -> Bool, write: @escaping @Sendable (String) -> Void) {
    self.isEnabled = isEnabled
    self.write = write
  }

  /// The Boolean in the user defaults that asks for the notes of a product, for instance `AnimalsData`. The launch argument
  /// `-com.northbronson.AnimalsData.Debug 1` sets it for one run.
  package static func key(of product: String) -> String { "com.northbronson.\(product).Debug" }

  /// Notes an action, the state that it met, and the state that it led to: the folded one, not the live one of a later
  /// moment.
  package func note<State, Action>(
    _ action: Action, in oldState: State, of product: String, reduce: (State, Action) throws -> State
  ) {
    #if DEBUG
    guard isEnabled(Self.key(of: product)) else { return }
    write("[\(product)][Listener] Old State: \(oldState)")
    write("[\(product)][Listener] Action: \(action)")
    do {
      write("[\(product)][Listener] New State: \(try reduce(oldState, action))")
    } catch {
      write("[\(product)][Listener] New State: none: \(error)")
    }
    #endif
  }

  private static func isSet(_ key: String) -> Bool {
    #if DEBUG
    UserDefaults.standard.bool(forKey: key)
    #else
    false
    #endif
  }
}
