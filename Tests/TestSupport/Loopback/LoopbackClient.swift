import Foundation
import Platform

#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

/// A client of a local server, which sends any bytes and reads the response.
package final class LoopbackClient: Sendable {
  /// An HTTP response.
  package struct Answer: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// The header fields, names in lower case.
    package var fields: [String: String]
    package var body: String
  }

  private let connection: Int32
  /// A queue for blocking calls: it does not block the threads of the cooperative pool.
  private let queue = DispatchQueue(label: "loopback-client")
  private let received = Locked<[UInt8]>([])

  /// Connects.
  package init(port: UInt16) throws {
    connection = try LoopbackSocket.connect(to: port)
  }

  deinit { LoopbackSocket.close(connection) }

  /// Sends text. If the server has closed the connection, this is only visible in the response.
  package func send(_ text: String) async {
    await run { connection in LoopbackSocket.send(Array(text.utf8), to: connection) }
  }

  /// Ends the sending side of the connection.
  package func endSending() { _ = shutdown(connection, Int32(SHUT_WR)) }

  /// Waits for a response.
  ///
  /// - Parameter hasBody: Whether the response has the announced body; a response to `HEAD` has none.
  /// - Returns: `nil` if the connection ends before a complete response.
  package func answer(hasBody: Bool = true) async -> Answer? {
    while true {
      if let answer = takeAnswer(hasBody) { return answer }
      guard let more = await run({ connection in LoopbackSocket.receive(from: connection) }) else { return nil }
      received.withLock { received in received += more }
    }
  }

  /// Waits for the end of the connection.
  ///
  /// - Returns: The received bytes that were not read before.
  package func rest() async -> String {
    while let more = await run({ connection in LoopbackSocket.receive(from: connection) }) {
      received.withLock { received in received += more }
    }
    return received.withLock { received in String(decoding: received, as: UTF8.self) }
  }

  private func takeAnswer(_ hasBody: Bool) -> Answer? {
    received.withLock { received in
      guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
      let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let fields = Dictionary(
        lines.dropFirst().compactMap { line in
          line.firstIndex(of: ":").map { colon in
            (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
          }
        }, uniquingKeysWith: { first, _ in first })
      let length = hasBody ? fields["content-length"].flatMap { length in Int(length) } ?? 0 : 0
      guard received.count - end.upperBound >= length else { return nil }
      let body = String(decoding: received[end.upperBound..<end.upperBound + length], as: UTF8.self)
      received.removeFirst(end.upperBound + length)
      return Answer(status: Int(lines[0].split(separator: " ")[1]) ?? 0, fields: fields, body: body)
    }
  }

  /// Runs a blocking call.
  private func run<Value: Sendable>(_ body: @escaping @Sendable (Int32) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: body(connection)) }
    }
  }
}

extension LoopbackClient {
  /// Sends one request on a new connection.
  ///
  /// - Parameter fields: Header fields in addition to `Host` and `Content-Length`.
  package static func ask(
    _ port: UInt16, _ method: String, _ path: String, fields: [String: String] = [:], body: String = ""
  ) async throws -> Answer? {
    let client = try LoopbackClient(port: port)
    await client.send(request(method, path, fields: fields, body: body))
    return await client.answer(hasBody: method != "HEAD")
  }

  /// Returns the text of a request.
  package static func request(
    _ method: String, _ path: String, fields: [String: String] = [:], body: String = ""
  ) -> String {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)"]
    for (name, value) in fields { lines.append("\(name): \(value)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }
}

extension URLSession {
  /// A session with a timeout of one hour, which a busy machine never reaches. A test of timeouts sets the timeout of
  /// its request.
  package static let patient: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 3_600
    return URLSession(configuration: configuration)
  }()
}
