import Foundation
import Services
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session with `URLSession`, against a server on this machine.
@Suite struct LoopbackTests {
  private let session: URLSession
  private static let text = Array(#"{"numbers":[1,2,3,4,5,6,7,8,9]}"#.utf8)

  init() {
    session = .patient
  }

  private func fetch(from url: URL, timeout: TimeInterval? = nil) async throws -> [String: [Int]] {
    var request = URLRequest(url: url)
    if let timeout { request.timeoutInterval = timeout }
    return try await NetworkSession(urlSession: session).json(for: request, from: JSONDecoder())
  }

  /// Returns the error for a response.
  private func error(over reply: LoopbackReply, timeout: TimeInterval? = nil) async throws -> NetworkSessionError {
    let server = try LoopbackServer { _ in reply }
    defer { server.stop() }
    let error = try #require(
      await #expect(throws: NetworkSessionError.self) { try await fetch(from: server.url("/x.json"), timeout: timeout) }
    )
    #expect(error.url == server.url("/x.json"))
    #expect(server.paths.first == "/x.json")
    return error
  }

  @Test(arguments: ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])
  func validResponseIsDecoded(type: String) async throws {
    let server = try LoopbackServer { _ in .answer(Self.text, type: type) }
    defer { server.stop() }
    #expect(try await fetch(from: server.url("/a/b.json")) == ["numbers": Array(1...9)])
    #expect(server.paths == ["/a/b.json"])
  }

  @Test(arguments: [404, 500, 503])
  func errorStatusFails(status: Int) async throws {
    let error = try await error(over: .answer(Self.text, status: status))
    #expect(error.code == .statusError)
    #expect(error.statusCode == status)
  }

  @Test func serverReasonIsInTheError() async throws {
    let error = try await error(
      over: .answer("animalNotFound: gone\n".utf8, status: 500, type: "text/plain; charset=utf-8"))
    #expect(error.message == "the server answered with status 500 (animalNotFound: gone)")
    for page in ["two\nlines", String(repeating: "a", count: 2_000), ""] {
      let error = try await self.error(over: .answer(page.utf8, status: 500, type: "text/plain"))
      #expect(error.message == "the server answered with status 500")
    }
  }

  @Test(arguments: ["text/html", "application/octet-stream", nil])
  func otherMediaTypeFails(type: String?) async throws {
    #expect(try await error(over: .answer(Self.text, type: type)).code == .mediaTypeError)
  }

  @Test(arguments: ["", "{", "[1]", #"{"numbers":[1,]"#])
  func invalidJSONFails(text: String) async throws {
    #expect(try await error(over: .answer(text.utf8)).code == .decodingError)
  }

  /// A partial response is never treated as complete.
  @Test func partialResponseFails() async throws {
    let error = try await error(over: .half(Self.text))
    #expect([.transportError, .decodingError].contains(error.code))
    #expect(error.underlying != nil)
  }

  @Test func closedConnectionFails() async throws {
    #expect(try await error(over: .hangUp).code == .transportError)
  }

  @Test(arguments: [LoopbackReply.silence, .stalled(LoopbackTests.text)])
  func unresponsiveServerFails(reply: LoopbackReply) async throws {
    let error = try await error(over: reply, timeout: 1)
    #expect(error.code == .transportError)
    #expect((error.underlying as? URLError)?.code == .timedOut)
  }

  @Test func refusedConnectionFails() async throws {
    let server = try LoopbackServer { _ in .hangUp }
    server.stop()
    let url = server.url("/x.json")
    let error = try #require(await #expect(throws: NetworkSessionError.self) { try await fetch(from: url) })
    #expect(error.code == .transportError)
  }

  @Test func canceledTaskEnds() async throws {
    let server = try LoopbackServer { _ in .silence }
    defer { server.stop() }
    let task = Task { try await fetch(from: server.url("/x.json")) }
    await server.requests(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
