package import Foundation
import Platform

/// A small HTTP/1.1 server on a local port chosen by the system, for tests of clients.
///
/// One thread handles one connection at a time, and closes it after the response. The length of a request, the number
/// of connections, and the wait for an idle peer are limited.
package final class LoopbackServer: Sendable {
  /// The maximum length of a request. A longer request closes the connection.
  private static let requestLimitBytes = 64 << 10
  /// The maximum number of connections, to end a client in a loop.
  private static let connectionLimit = 1_000

  private struct Contents: Sendable {
    var paths: [String] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    /// Connections that get no response.
    var silent: [Int32] = []
    var isStopped = false
  }

  /// The port on 127.0.0.1.
  package let port: UInt16

  private let listening: Int32
  /// Closing the write end wakes and ends the thread.
  private let stopping: (read: Int32, write: Int32)
  private let contents = Locked(Contents())
  private let reply: @Sendable (_ path: String) -> LoopbackReply

  /// Starts a server.
  ///
  /// - Parameter reply: A function that returns the response for a path.
  package init(_ reply: @escaping @Sendable (_ path: String) -> LoopbackReply) throws {
    self.reply = reply
    (listening, port) = try LoopbackSocket.listen()
    stopping = try LoopbackSocket.pipe()
    let thread = Thread { [self] in serve() }
    thread.start()
  }

  /// The requested paths, in order.
  package var paths: [String] { contents.withLock { contents in contents.paths } }

  /// Returns the URL of a path on the server.
  package func url(_ path: String) -> URL {
    var components = URLComponents()
    components.scheme = "http"
    components.host = "127.0.0.1"
    components.port = Int(port)
    components.path = path
    guard let url = components.url else { preconditionFailure("not a path: \(path)") }
    return url
  }

  /// Waits for a number of requests.
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

  /// Stops the server and closes connections without a response. A server that is not stopped keeps running.
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
  /// The loop of the thread.
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

  /// Returns the path in the first line of a request, after reading the complete request: closing a connection with
  /// unread data discards the response.
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

/// The response of a ``LoopbackServer``: its bytes, and the end of the connection.
package struct LoopbackReply: Sendable {
  package enum Ending: Sendable {
    /// The connection is closed.
    case close
    /// The connection stays open until the server is stopped.
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
  /// Returns a complete response.
  package static func answer(
    _ body: some Sequence<UInt8>, status: Int = 200, type: String? = "application/json"
  ) -> LoopbackReply {
    let body = Array(body)
    return LoopbackReply(bytes: head(status, type, body.count) + body, ending: .close)
  }

  /// Returns a response that ends within its body.
  package static func half(_ body: some Sequence<UInt8>, type: String? = "application/json") -> LoopbackReply {
    let body = Array(body)
    return LoopbackReply(bytes: head(200, type, body.count) + body.prefix(body.count / 2), ending: .close)
  }

  /// Returns the beginning of a response on a connection that stays open.
  package static func stalled(_ body: some Sequence<UInt8>, type: String? = "application/json") -> LoopbackReply {
    let body = Array(body)
    return LoopbackReply(bytes: head(200, type, body.count) + body.prefix(body.count / 2), ending: .wait)
  }

  /// No response.
  package static let silence = LoopbackReply(bytes: [], ending: .wait)

  /// No response; the connection is closed.
  package static let hangUp = LoopbackReply(bytes: [], ending: .close)

  private static func head(_ status: Int, _ type: String?, _ count: Int) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status) As Asked", "Content-Length: \(count)", "Connection: close"]
    if let type { lines.append("Content-Type: \(type)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
