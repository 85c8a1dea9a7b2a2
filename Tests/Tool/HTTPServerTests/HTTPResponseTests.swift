import HTTPServer
import TestSupport
import Testing

/// Responses with odd header fields, as a client receives them.
@Suite(.timeLimit(.minutes(60))) struct HTTPResponseTests {
  /// Returns the response that a client receives for these header fields.
  private func answer(_ fields: [HTTPHeaders.Field], reason: String = "OK") async throws -> LoopbackClient.Answer? {
    let server = HTTPServer(timeouts: .generous) { _ in
      HTTPResponse(HTTPStatus(code: 200, reason: reason), headers: HTTPHeaders(fields), body: Array("body".utf8))
    }
    let port = try server.start(port: 0)
    let client = try LoopbackClient(port: port)
    await client.send(LoopbackClient.request("GET", "/", fields: ["Connection": "close"]))
    let answer = await client.answer()
    let rest = await client.rest()
    await server.stop()
    #expect(rest == "", "nothing follows the response")
    return answer
  }

  @Test func fieldsAreSentUnchanged() async throws {
    let answer = try #require(try await answer([.init(name: "X-Name", value: "caf\u{E9}, \t1")]))
    #expect(answer.fields["x-name"] == "caf\u{E9}, \t1")
    #expect(answer.body == "body")
  }

  /// A value from a client that the handler echoes cannot inject a field or a response.
  @Test(arguments: ["a\r\nX-Other: b", "a\nX-Other: b", "a\rX-Other: b", "a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "a\0b"])
  func valueCannotInjectFields(value: String) async throws {
    let answer = try #require(try await answer([.init(name: "X-Name", value: value)], reason: value))
    #expect(answer.status == 200)
    #expect(answer.fields["x-name"]?.hasPrefix("a ") == true)
    #expect(answer.fields["x-other"] == nil)
    #expect(answer.body == "body")
  }

  @Test(arguments: ["", "X Name", "X-Name:", "X-Name\r\nX-Other", "N\u{E4}me"])
  func invalidNameIsDropped(name: String) async throws {
    let answer = try #require(try await answer([.init(name: name, value: "value")]))
    #expect(answer.fields.keys.sorted() == ["connection", "content-length", "date"])
    #expect(answer.body == "body")
  }

  @Test(arguments: ["Content-Length", "content-length", "Transfer-Encoding", "Connection", "Date"])
  func serverFieldsCannotBeOverridden(name: String) async throws {
    let answer = try #require(try await answer([.init(name: name, value: "1")]))
    #expect(answer.fields["content-length"] == "4")
    #expect(answer.fields["transfer-encoding"] == nil)
    #expect(answer.fields["connection"] == "close")
    #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
    #expect(answer.body == "body")
  }
}
