import Foundation

/// The secret of a server. Each request carries it.
package struct BearerToken: Sendable {
  /// 32 random bytes of the system in base64url, without padding.
  package let text: String

  package init() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  /// Reads a token that was drawn before; `nil` if a text is not one.
  package init?(_ text: String) {
    guard text.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil else { return nil }
    self.text = text
  }

  /// Whether the only `Authorization` field of a request has the token. The time does not depend on where a wrong one differs.
  package func authorizes(_ request: HTTPRequest) -> Bool {
    let fields = request.headers.values(of: "Authorization")
    guard fields.count == 1 else { return false }
    let (found, wanted) = (Array(fields[0].utf8), Array("Bearer \(text)".utf8))
    guard found.count == wanted.count else { return false }
    return zip(found, wanted).reduce(UInt8(0)) { difference, pair in difference | (pair.0 ^ pair.1) } == 0
  }
}
