/// A reader of bytes that nobody vouches for, and what must hold of it for every input.
///
/// A reader may refuse whatever it likes, by its error. It must not trap, must not read beyond its input, and what it accepts
/// must mean the same to every other way of reading it, and come out the same when it is written and read again.
package enum FuzzEntry: String, CaseIterable, Sendable {
  /// Any text as JSON: the tape, values, the decoder, the quick look at compact objects.
  case json
  /// A type, a line feed, and the values of an action: generated code against `Codable`.
  case action
  /// One line of a log, without its commit mark.
  case line
  /// The files of a log; see ``FuzzedLog`` for how they are written down.
  case segment
  /// The file `HEAD`.
  case head
  /// A snapshot, with or without its commit mark.
  case snapshot
  /// CloudEvents, one a line, and the log that is made of them.
  case events
  /// A file of Redux DevTools, and the log that is made of it.
  case devtools

  /// What does not hold of an input; `nil` when all does.
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
      }
      return nil
    } catch {
      return error.message
    }
  }
}

/// What does not hold of an input.
struct FuzzFlaw: Error {
  var message: String

  /// Throws a flaw unless a condition holds.
  static func unless(_ condition: Bool, _ message: @autoclosure () -> String) throws(FuzzFlaw) {
    if !condition { throw FuzzFlaw(message: message()) }
  }

  /// What a call returns that cannot fail for this input.
  static func never<Value>(_ what: String, _ body: () throws -> Value) throws(FuzzFlaw) -> Value {
    do { return try body() } catch { throw FuzzFlaw(message: "\(what): \(error)") }
  }

  /// What a call returns, or `nil` when it refuses its input.
  static func accepted<Value>(_ body: () throws -> Value) -> Value? {
    do { return try body() } catch { return nil }
  }
}
