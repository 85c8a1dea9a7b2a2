import Foundation

/// The code, message and place of any error.
///
/// It is created where the failure occurs and stored unchanged, because the texts of errors differ between platforms.
package struct ErrorSummary: Hashable, Sendable {
  /// The kind of failure, for instance `timeLimitReached`.
  package let code: String
  /// A description of the failure.
  package let message: String
  /// The path or address where it occurred; `nil` if the error has none.
  package let place: String?

  /// Creates a summary from its parts.
  package init(code: String, message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension ErrorSummary {
  /// Creates the summary of an error.
  ///
  /// The errors of the guide and of this package are structs with a member `code`, and usually `message`, `path` or
  /// `url`, and `underlying`, which are read by reflection. For other errors, the system's descriptions are used.
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
      // The description of a Foundation error is very long; its localized description is one sentence.
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
