import ActionLogTool
import Dispatch
import JSONCoding
import Locking
import StoreSupport

/// Tells of requests and answers on standard output, an object of JSON on a line for each, in the order in which they come.
///
/// A reader that is slow or gone must not hold up answers: lines are written by a queue of their own. Where the reader falls
/// far behind, lines are left out, and the next one is preceded by how many, for instance `{"dropped":12}`.
final class RequestJournal: Sendable {
  private struct Contents: Sendable {
    var waiting = 0
    /// How many lines were left out since the last one that was taken.
    var dropped = 0
  }

  /// How many lines wait for the reader: a few for each of the connections that there can be.
  private static let waitingLimit = 256
  /// How long the end waits for a reader. One that reads at all needs a moment.
  private static let patience = Duration.seconds(5)

  private let queue = DispatchQueue(label: "animals-server.journal")
  private let printer: Printer?
  private let contents = Locked(Contents())

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
    let dropped = contents.withLock { contents -> Int? in
      guard contents.waiting < Self.waitingLimit else {
        contents.dropped += 1
        return nil
      }
      contents.waiting += 1
      defer { contents.dropped = 0 }
      return contents.dropped
    }
    guard let dropped else { return }
    queue.async { [contents] in
      Self.tell(dropped, on: printer)
      Self.tell([kind: value], on: printer)
      contents.withLock { contents in contents.waiting -= 1 }
    }
  }

  /// Waits until everything was told, unless nobody reads.
  func finish() async {
    guard let printer else { return }
    do {
      try await TimeLimit(Self.patience).run(orThrow: { _ in CancellationError() }) { [queue, contents] in
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          queue.async {
            Self.tell(contents.withLock { contents in contents.dropped }, on: printer)
            continuation.resume()
          }
        }
      }
    } catch {
      // The reader has had its time. What was answered is on disk.
    }
  }

  private static func tell(_ dropped: Int, on printer: Printer) {
    if dropped > 0 { tell(["dropped": .number(JSONNumber(dropped))], on: printer) }
  }

  private static func tell(_ line: JSONValue, on printer: Printer) {
    do {
      try printer.json(line)
      try printer.flush()
    } catch {
      // Nobody reads any more. The server is there for its clients.
    }
  }
}
