package import Foundation
import Platform

/// A small server of HTTP/1.1 on this machine alone, on a port that the system chooses, for tests of what fetches.
///
/// One thread answers one connection after the other; each is closed after its answer. Everything is bounded: the
/// length of a request, the number of connections, and how long a peer that does nothing is waited for.
package final class LoopbackServer: Sendable {
  /// Longer requests are hung up on.
  private static let requestLimitBytes = 64 << 10
  /// More connections than any test makes: a client in a loop ends.
  private static let connectionLimit = 1_000

  private struct Contents: Sendable {
    var paths: [String] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    /// Connections that are never answered.
    var silent: [Int32] = []
    var isStopped = false
  }

  /// The port on 127.0.0.1.
  package let port: UInt16

  private let listening: Int32
  /// Closing the second end wakes the thread and ends it.
  private let stopping: (read: Int32, write: Int32)
  private let contents = Locked(Contents())
  private let reply: @Sendable (_ path: String) -> LoopbackReply

  /// Starts a server.
  ///
  /// - Parameter reply: What to answer to a request for a path.
  package init(_ reply: @escaping @Sendable (_ path: String) -> LoopbackReply) throws {
    self.reply = reply
    (listening, port) = try LoopbackSocket.listen()
    stopping = try LoopbackSocket.pipe()
    let thread = Thread { [self] in serve() }
    thread.start()
  }

  /// The paths that were asked for, in order.
  package var paths: [String] { contents.withLock { contents in contents.paths } }

  /// The address of something on the server.
  package func url(_ path: String) -> URL {
    var components = URLComponents()
    components.scheme = "http"
    components.host = "127.0.0.1"
    components.port = Int(port)
    components.path = path
    guard let url = components.url else { preconditionFailure("not a path: \(path)") }
    return url
  }

  /// Returns when so many requests have come.
  package func requests(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = contents.withLock { contents in
        if contents.paths.count < count, !contents.isStopped {
          contents.waiting.append((count: count, continuation: continuation))
          return false
        }
        return true
      }
      if isThere { continuation.resume() }
    }
  }

  /// Ends the server. Connections that were not answered are closed. A server that is not stopped lives on.
  package func stop() {
    let (silent, waiting) = contents.withLock { contents in
      guard !contents.isStopped else { return ([Int32](), contents.waiting) }
      contents.isStopped = true
      LoopbackSocket.close(stopping.write)
      defer { (contents.silent, contents.waiting) = ([], []) }
      return (contents.silent, contents.waiting)
    }
    for connection in silent { LoopbackSocket.close(connection) }
    for waiter in waiting { waiter.continuation.resume() }
  }
}

extension LoopbackServer {
  /// The thread's work.
  private func serve() {
    defer {
      LoopbackSocket.close(listening)
      LoopbackSocket.close(stopping.read)
    }
    for _ in 0..<Self.connectionLimit {
      guard let connection = LoopbackSocket.accept(on: listening, unless: stopping.read) else { return }
      answer(connection)
    }
  }

  private func answer(_ connection: Int32) {
    guard let path = requestedPath(connection) else { return LoopbackSocket.close(connection) }
    let reply = reply(path)
    note(path)
    switch reply.ending {
    case .close:
      LoopbackSocket.send(reply.bytes, to: connection)
      LoopbackSocket.close(connection)
    case .wait:
      LoopbackSocket.send(reply.bytes, to: connection)
      let isStopped = contents.withLock { contents in
        if !contents.isStopped { contents.silent.append(connection) }
        return contents.isStopped
      }
      if isStopped { LoopbackSocket.close(connection) }
    }
  }

  private func note(_ path: String) {
    let ready = contents.withLock { contents in
      contents.paths.append(path)
      let count = contents.paths.count
      defer { contents.waiting.removeAll { waiter in waiter.count <= count } }
      return contents.waiting.filter { waiter in waiter.count <= count }
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// The path in the first line of a request, which is read to the end of its body: what is left unread when a connection is
  /// closed takes the answer with it.
  private func requestedPath(_ connection: Int32) -> String? {
    var request: [UInt8] = []
    while true {
      if let head = request.firstRange(of: Array("\r\n\r\n".utf8)) {
        let lines = String(decoding: request[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        if request.count - head.upperBound >= Self.bodyLength(lines) { return Self.path(lines[0]) }
      }
      guard request.count < Self.requestLimitBytes, let more = LoopbackSocket.receive(from: connection) else {
        return nil
      }
      request += more
    }
  }

  private static func path(_ line: String) -> String? {
    let words = line.split(separator: " ")
    return words.count == 3 ? String(words[1]) : nil
  }

  private static func bodyLength(_ lines: [String]) -> Int {
    let name = "content-length:"
    let field = lines.first { line in line.lowercased().hasPrefix(name) }
    return field.flatMap { field in Int(field.dropFirst(name.count).trimmingCharacters(in: .whitespaces)) } ?? 0
  }
}

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
