import ActionLogTool
import Dispatch
import JSONCoding
import Platform
import SampleSupport

/// Prints requests and responses to standard output in order, one JSON object per line.
///
/// A slow or closed reader must not delay responses, so a separate queue writes the lines. If the reader is too slow,
/// lines are dropped, and the next line is preceded by their number, for instance `{"dropped":12}`.
final class RequestJournal: Sendable {
  private struct Contents: Sendable {
    var waiting = 0
    var waitingBytes = 0
    /// The number of lines dropped since the last accepted one.
    var dropped = 0
  }

  /// The maximum number of waiting lines: a few for each possible connection.
  private static let waitingLimit = 256
  /// The maximum total length of waiting lines: some of the longest requests, of one megabyte each.
  private static let waitingLimitBytes = 4 << 20
  /// The time limit of ``finish()``. An active reader needs only a moment.
  private static let patience = Duration.seconds(5)

  private let queue = DispatchQueue(label: "animals-server.journal")
  private let printer: Printer?
  private let contents = Locked(Contents())

  init(_ printer: Printer?) {
    self.printer = printer
  }

  func note(_ kind: String, _ value: JSONValue) {
    guard let printer else { return }
    // The queue holds encoded lines, whose length is known; a JSON value can be many times larger in memory.
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
      Self.write(dropped: dropped, to: printer)
      Self.write(line, to: printer)
      contents.withLock { contents in
        contents.waiting -= 1
        contents.waitingBytes -= line.count
      }
    }
  }

  /// Waits until all lines are written, or until the time limit is reached because there is no reader.
  func finish() async {
    guard let printer else { return }
    do {
      try await TimeLimit(Self.patience).run(waitingFor: "standard output") { [queue, contents] in
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          queue.async {
            Self.write(dropped: contents.withLock { contents in contents.dropped }, to: printer)
            continuation.resume()
          }
        }
      }
    } catch {
      // There is no reader. All acknowledged changes are on disk.
    }
  }

  private static func write(dropped: Int, to printer: Printer) {
    guard dropped > 0 else { return }
    let object: JSONValue = ["dropped": .number(JSONNumber(dropped))]
    write(object.bytes(), to: printer)
  }

  private static func write(_ line: [UInt8], to printer: Printer) {
    do {
      try printer.jsonLine(line)
      try printer.flush()
    } catch {
      // Standard output is closed. The server continues to serve its clients.
    }
  }
}
