public import ActionLog
public import Foundation
package import ImmutableData

/// The code, message and place of any error.
///
/// It is created where the failure occurs and stored unchanged, because the texts of errors differ between platforms.
package struct ErrorSummary: Hashable, Sendable {
  /// The kind of failure, for instance `timeLimitReached`.
  package let code: String
  package let message: String
  /// The path or address where it occurred; `nil` if the error has none.
  package let place: String?

  package init(code: String, message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension ErrorSummary {
  /// Creates the summary of an error.
  ///
  /// For errors that do not adopt `DescribedError`, the system's descriptions are used.
  package init(_ error: any Error) {
    switch error {
    case is CancellationError:
      self.init(code: "cancelled", message: "the operation was cancelled")
    case let error as any DescribedError:
      // `cause` is set if the message does not contain it.
      let cause = error.cause == nil ? nil : error.underlying.map { error in ErrorSummary(error).message }
      self.init(
        code: error.codeName, message: [error.message, cause].compactMap(\.self).joined(separator: ": "),
        place: error.location.path)
    default:
      let bridged = error as NSError
      self.init(code: "\(bridged.domain) \(bridged.code)", message: Self.message(ofForeign: error))
    }
  }

  private static func message(ofForeign error: any Error) -> String {
    if let error = error as? any LocalizedError, let description = error.errorDescription { return description }
    // The description of a Foundation error is very long; its localized description is one sentence.
    let isOfFoundation = error is URLError || type(of: error) == NSError.self
    let describing = isOfFoundation ? nil : (error as Any) as? any CustomStringConvertible
    return describing.map(\.description) ?? error.localizedDescription
  }
}

extension ErrorSummary: CustomStringConvertible {
  /// For instance `timeLimitReached: no answer within 60 seconds: remote store`.
  package var description: String {
    [code, message, place].compactMap(\.self).joined(separator: ": ")
  }
}

/// An error of a store or a service of a sample.
public struct SampleError<Code: RawRepresentable<String> & Sendable>: DescribedError, LocalizedError {
  /// The kind of failure.
  public var code: Code
  /// The failure, without its location.
  public var message: String
  /// The file, the URL or the part of the sample that failed; `nil` if there is none.
  public var path: String?
  /// The error that caused this one.
  public var underlying: (any Error)?
  /// The things that did not change; `nil` if there is nothing to say.
  public var intact: String?
  /// What to do; `nil` if there is no advice.
  public var advice: MessageText?

  package init(
    _ code: Code, _ message: String, path: String? = nil, underlying: (any Error)? = nil, intact: String? = nil,
    advice: MessageText? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.underlying = underlying
    self.intact = intact
    self.advice = advice
  }

  /// The path.
  public var location: ErrorLocation { ErrorLocation(path: path) }

  /// The message of the underlying error.
  public var cause: String? { underlying.map { error in ErrorSummary(error).message } }

  /// The message with its location and cause, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension DebugOutput {
  /// Writes an action and the states before and after it if the flag of the product is set.
  ///
  /// The state after the action is computed by the reducer: the live state can already include later actions.
  package func note<State, Action>(
    _ action: Action, in oldState: State, of product: String, reduce: (State, Action) throws -> State
  ) {
    write(product) {
      let newState: String
      do { newState = "\(try reduce(oldState, action))" } catch { newState = "none: \(error)" }
      return [("Old State", "\(oldState)"), ("Action", "\(action)"), ("New State", newState)].map { name, text in
        "[\(product)][Listener] \(name): \(text)"
      }
    }
  }
}
