/// What a ``LoopbackServer`` answers: bytes, and what becomes of the connection then.
package struct LoopbackReply: Sendable {
  package enum Ending: Sendable {
    /// The connection is closed.
    case close
    /// Nothing more happens until the server is stopped.
    case wait
  }

  package var bytes: [UInt8]
  package var ending: Ending

  package init(bytes: [UInt8], ending: Ending) {
    self.bytes = bytes
    self.ending = ending
  }
}

extension LoopbackReply {
  /// A whole answer.
  package static func answer(
    _ body: some Sequence<UInt8>, status: Int = 200, type: String? = "application/json"
  ) -> LoopbackReply {
    let body = Array(body)
    return LoopbackReply(bytes: head(status, type, body.count) + body, ending: .close)
  }

  /// An answer that ends in the middle of its body.
  package static func half(_ body: some Sequence<UInt8>, type: String? = "application/json") -> LoopbackReply {
    let body = Array(body)
    return LoopbackReply(bytes: head(200, type, body.count) + body.prefix(body.count / 2), ending: .close)
  }

  /// The beginning of an answer, and nothing more.
  package static func stalled(_ body: some Sequence<UInt8>, type: String? = "application/json") -> LoopbackReply {
    let body = Array(body)
    return LoopbackReply(bytes: head(200, type, body.count) + body.prefix(body.count / 2), ending: .wait)
  }

  /// No byte.
  package static let silence = LoopbackReply(bytes: [], ending: .wait)

  /// No byte, and the connection is closed.
  package static let hangUp = LoopbackReply(bytes: [], ending: .close)

  private static func head(_ status: Int, _ type: String?, _ count: Int) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status) As Asked", "Content-Length: \(count)", "Connection: close"]
    if let type { lines.append("Content-Type: \(type)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
