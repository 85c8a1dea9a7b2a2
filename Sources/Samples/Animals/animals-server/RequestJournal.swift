import ActionLogTool
import Dispatch
import JSONCoding
import Platform
import SampleSupport

/// Tells of requests and answers on standard output, an object of JSON on a line for each, in the order in which they come.
///
/// A reader that is slow or gone must not hold up answers: lines are written by a queue of their own. Where the reader falls
/// far behind, lines are left out, and the next one is preceded by how many, for instance `{"dropped":12}`.
final class RequestJournal: Sendable {
  private struct Contents: Sendable {
    var waiting = 0
    var waitingBytes = 0
    /// How many lines were left out since the last one that was taken.
    var dropped = 0
  }

  /// How many lines wait for the reader: a few for each of the connections that there can be.
  private static let waitingLimit = 256
  /// How long they are together: some of the longest requests, which have a megabyte each.
  private static let waitingLimitBytes = 4 << 20
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
    // What waits is the line, because its length is known; a value of JSON can take many times as much.
    let object: JSONValue = [kind: value]
    let line = object.bytes()
    let dropped = contents.withLock { contents -> Int? in
      guard contents.waiting < Self.waitingLimit, contents.waitingBytes + line.count <= Self.waitingLimitBytes else {
        contents.dropped += 1
        return nil
      }
      contents.waiting += 1
      contents.waitingBytes += line.count
      defer { contents.dropped = 0 }
      return contents.dropped
    }
    guard let dropped else { return }
    queue.async { [contents] in
      Self.tell(dropped, on: printer)
      Self.tell(line, on: printer)
      contents.withLock { contents in
        contents.waiting -= 1
        contents.waitingBytes -= line.count
      }
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
    guard dropped > 0 else { return }
    let object: JSONValue = ["dropped": .number(JSONNumber(dropped))]
    tell(object.bytes(), on: printer)
  }

  private static func tell(_ line: [UInt8], on printer: Printer) {
    do {
      try printer.jsonLine(line)
      try printer.flush()
    } catch {
      // Nobody reads any more. The server is there for its clients.
    }
  }
}
