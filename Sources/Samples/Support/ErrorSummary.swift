import Foundation

/// What there is to say of any error: a code to branch on, a text for people, and the place.
///
/// It is made where the failure happens and kept as it is, because texts of errors differ from platform to platform.
package struct ErrorSummary: Hashable, Sendable {
  /// What kind of failure it is, for instance `timeLimitReached`.
  package let code: String
  /// What happened.
  package let message: String
  /// Where: a path or an address. `nil` when the failure does not say.
  package let place: String?

  /// Makes a summary from its parts.
  package init(code: String, message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension ErrorSummary {
  /// Makes the summary of an error.
  ///
  /// The errors of the guide and of this engine are structs with a member `code`, and mostly `message`, `path` or
  /// `url`, and `underlying`: these are taken. What an error does not have is told as the system tells it.
  package init(_ error: any Error) {
    if error is CancellationError {
      self.init(code: "cancelled", message: "the operation was cancelled")
      return
    }
    let members = Dictionary(
      Mirror(reflecting: error).children.compactMap { child in child.label.map { label in (label, child.value) } },
      uniquingKeysWith: { first, _ in first })
    let bridged = error as NSError
    self.init(
      code: members["code"].map { code in "\(code)" } ?? "\(bridged.domain) \(bridged.code)",
      message: Self.message(of: error, members),
      place: members["path"] as? String ?? (members["url"] as? URL)?.absoluteString)
  }

  private static func message(of error: any Error, _ members: [String: Any]) -> String {
    guard let message = members["message"] as? String else {
      if let error = error as? any LocalizedError, let description = error.errorDescription { return description }
      // Errors of Foundation describe themselves at great length; their localized description is a sentence.
      let isOfFoundation = error is URLError || type(of: error) == NSError.self
      let describing = isOfFoundation ? nil : (error as Any) as? any CustomStringConvertible
      return describing.map(\.description) ?? error.localizedDescription
    }
    guard let underlying = members["underlying"] as? any Error else { return message }
    return "\(message): \(ErrorSummary(underlying).message)"
  }
}

extension ErrorSummary: CustomStringConvertible {
  /// For instance `timeLimitReached: no answer within 60 seconds: remote store`.
  package var description: String {
    [code, message, place].compactMap(\.self).joined(separator: ": ")
  }
}
