/// A parser of untrusted bytes, and its invariants for every input.
///
/// A parser may refuse any input with its error. It must not trap or read beyond its input, and an accepted input must
/// have the same meaning for every other parser, and must survive a round trip.
package enum FuzzEntry: String, CaseIterable, Sendable {
  /// Any text as JSON: the tape, values, the decoder, the fast path for compact objects.
  case json
  /// A type, a line feed, and the data of an action: generated code is compared with `Codable`.
  case action
  /// One line of a log, without its commit mark.
  case line
  /// The files of a log; see ``FuzzedLog`` for their encoding.
  case segment
  /// The file `HEAD`.
  case head
  /// A snapshot, with or without its commit mark.
  case snapshot
  /// CloudEvents, one per line, and the log imported from them.
  case events
  /// A file of Redux DevTools, and the log imported from it.
  case devtools
  /// A proof of a line or of a tree, or a checkpoint.
  case proof

  /// Returns the violated invariant of an input; `nil` if there is none.
  package func flaw(in input: [UInt8]) -> String? {
    do throws(FuzzFlaw) {
      switch self {
      case .json: try FuzzedJSON(input).check()
      case .action: try FuzzedAction(input).check()
      case .line: try FuzzedLine(input).check()
      case .segment: try FuzzedLog(input).check()
      case .head: try FuzzedHead(input).check()
      case .snapshot: try FuzzedSnapshot(input).check()
      case .events: try FuzzedExchange.checkEvents(input)
      case .devtools: try FuzzedExchange.checkDevTools(input)
      case .proof: try FuzzedProof(input).check()
      }
      return nil
    } catch {
      return error.message
    }
  }
}

/// A violated invariant.
struct FuzzFlaw: Error {
  var message: String

  /// Throws a flaw unless a condition holds.
  static func unless(_ condition: Bool, _ message: @autoclosure () -> String) throws(FuzzFlaw) {
    if !condition { throw FuzzFlaw(message: message()) }
  }

  /// Returns the result of a call that must not fail for this input.
  static func never<Value>(_ what: String, _ body: () throws -> Value) throws(FuzzFlaw) -> Value {
    do { return try body() } catch { throw FuzzFlaw(message: "\(what): \(error)") }
  }

  /// Returns the result of a call, or `nil` if it refuses its input.
  static func accepted<Value>(_ body: () throws -> Value) -> Value? {
    do { return try body() } catch { return nil }
  }
}
