import ActionLogTool
import Dispatch
import JSONCoding

/// Tells of requests and answers on standard output, an object of JSON on a line for each, in the order in which they come.
///
/// A reader that is slow or gone must not hold up answers: lines are written by a queue of their own.
final class RequestJournal: Sendable {
  private let queue = DispatchQueue(label: "animals-server.journal")
  private let printer: Printer?

  /// Makes a journal.
  ///
  /// - Parameter printer: Where lines go; `nil` for nowhere.
  init(_ printer: Printer?) {
    self.printer = printer
  }

  /// Tells something.
  ///
  /// - Parameters:
  ///   - kind: What it is, for instance `request`.
  ///   - value: What it says.
  func note(_ kind: String, _ value: JSONValue) {
    guard let printer else { return }
    queue.async {
      do {
        try printer.json([kind: value])
        try printer.flush()
      } catch {
        // Nobody reads any more. The server is there for its clients.
      }
    }
  }

  /// Waits until everything was told.
  func finish() {
    queue.sync {}
  }
}
