import Foundation

/// A request to an ``HTTPServer`` of another process on this machine. It blocks.
package struct LoopbackRequest: Sendable {
  /// Why there is no response.
  package enum Failure: Error, Equatable {
    /// No process listens on the port, or the connection broke.
    case noConnection(String)
    case timeout
    /// The bytes are not a response, or they exceed the limit.
    case noResponse
  }

  /// The limit of a response. The answers that are read with it have a few members.
  private static let responseBytes = 64 << 10

  package var method: String
  package var path: String
  package var token: String
  package var body: [UInt8]

  package init(_ method: String, _ path: String, token: String, body: [UInt8] = []) {
    (self.method, self.path, self.token, self.body) = (method, path, token, body)
  }

  /// Sends the request on a connection of its own, and waits for the response.
  package func send(to port: UInt16, within duration: Duration) throws(Failure) -> (status: Int, body: [UInt8]) {
    let deadline = ContinuousClock.now + duration
    let connection: Int32
    do { connection = try ServerSocket.connect(to: port, until: deadline) } catch {
      throw .noConnection("\(error)")
    }
    defer { ServerSocket.close(connection) }
    guard ServerSocket.send(bytes(to: port), to: connection, until: deadline) else {
      throw .noConnection("the request could not be sent")
    }
    var received: [UInt8] = []
    while true {
      switch ServerSocket.receive(from: connection, until: deadline) {
      case .bytes(let bytes):
        received += bytes
        guard received.count <= Self.responseBytes else { throw .noResponse }
      case .end: return try Self.response(received)
      case nil: throw .timeout
      }
    }
  }

  private func bytes(to port: UInt16) -> [UInt8] {
    let lines = [
      "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)",
      "Content-Type: application/json", "Content-Length: \(body.count)", "Connection: close",
    ]
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }

  private static func response(_ bytes: [UInt8]) throws(Failure) -> (status: Int, body: [UInt8]) {
    guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw .noResponse }
    let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1]) else {
      throw .noResponse
    }
    let name = "content-length:"
    let length = lines.first { line in line.lowercased().hasPrefix(name) }
      .flatMap { line in Int(line.dropFirst(name.count).trimmingOptionalWhitespace()) }
    let body = Array(bytes[head.upperBound...])
    guard length == body.count else { throw .noResponse }
    return (status, body)
  }
}

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
