import ActionLog
import HTTPServer
import Platform
import TestSupport
import Testing

/// A server on the loopback interface, with correct and incorrect clients.
@Suite(.timeLimit(.minutes(60))) struct HTTPServerTests {
  /// Starts a server, runs a test, and stops the server.
  private func serve(
    limits: HTTPLimits = HTTPLimits(), timeouts: HTTPTimeouts = .generous,
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = HTTPServer.echo,
    _ body: (UInt16, HTTPServer) async throws -> Void
  ) async throws {
    let server = HTTPServer(limits: limits, timeouts: timeouts, handler: handler)
    let port = try server.start(port: 0)
    do {
      try await body(port, server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
    #expect(server.connectionCount == 0)
  }

  @Test func connectionIsPersistent() async throws {
    try await serve { port, server in
      let client = try LoopbackClient(port: port)
      for number in 0..<5 {
        await client.send(LoopbackClient.request("POST", "/\(number)", body: "{}"))
        let answer = try #require(await client.answer())
        #expect(answer.status == 200)
        #expect(answer.body == "POST /\(number) {}\n")
        #expect(answer.fields["connection"] == "keep-alive")
        #expect(answer.fields["content-type"] == "text/plain; charset=utf-8")
        #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send((0..<20).map { LoopbackClient.request("POST", "/\($0)", body: "x") }.joined())
      for number in 0..<20 { #expect(await client.answer()?.body == "POST /\(number) x\n") }
    }
  }

  @Test func connectionClosesOnRequest() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(LoopbackClient.request("GET", "/a", fields: ["Connection": "close"]))
      #expect(await client.answer()?.fields["connection"] == "close")
      #expect(await client.rest() == "")
    }
  }

  @Test func responseToHeadHasNoBody() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(LoopbackClient.request("HEAD", "/a") + LoopbackClient.request("GET", "/b"))
      #expect(await client.answer(hasBody: false)?.fields["content-length"] == "9")
      #expect(await client.answer()?.body == "GET /b \n")
    }
  }

  @Test func expectationIsRefusedBeforeTheBody() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send("POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      #expect(await client.answer()?.status == 417)
      #expect(await client.rest() == "")
    }
  }

  @Test(arguments: [
    ("hello\r\n\r\n", 400), ("GET / HTTP/3.0\r\n\r\n", 505), ("BREW / HTTP/1.1\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", 411),
    ("GET /" + String(repeating: "a", count: 9_000), 414),
    ("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 40_000), 431),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "a", count: 3_000_000), 413),
  ])
  func invalidRequestClosesTheConnection(text: String, code: Int) async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(text)
      let answer = try #require(await client.answer())
      #expect(answer.status == code)
      #expect(answer.fields["connection"] == "close")
      #expect(answer.body.isEmpty == false)
      #expect(await client.rest() == "")
      #expect(try await LoopbackClient.ask(port, "GET", "/still")?.body == "GET /still \n", "other clients are served")
    }
  }

  @Test(arguments: [
    "POST / HT", "POST / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
  ])
  func truncatedRequestIsNotHandled(text: String) async throws {
    let count = Locked(0)
    try await serve(handler: { request in
      count.withLock { count in count += 1 }
      return HTTPResponse(.ok)
    }) { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(text)
      client.endSending()
      #expect(await client.answer()?.status == 400)
      #expect(await client.rest() == "")
    }
    #expect(count.withLock { count in count } == 0)
  }

  /// A client that never completes its request.
  @Test(arguments: ["P", "POST / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"])
  func slowClientTimesOut(text: String) async throws {
    var timeouts = HTTPTimeouts.generous
    (timeouts.head, timeouts.body) = (.milliseconds(20), .milliseconds(20))
    try await serve(timeouts: timeouts) { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(text)
      #expect(await client.answer()?.status == 408)
      #expect(await client.rest() == "")
    }
  }

  /// The timeout covers the complete head, so sending single bytes does not extend it.
  @Test func drippingClientTimesOut() async throws {
    var timeouts = HTTPTimeouts.generous
    timeouts.head = .milliseconds(50)
    try await serve(timeouts: timeouts) { port, server in
      let client = try LoopbackClient(port: port)
      await client.send("GET / HTTP/1.1\r\n")
      let dripping = Task {
        while !Task.isCancelled {
          await client.send("A: b\r\n")
          await Task.yield()
        }
      }
      // 408 after the timeout, or 431 if the client sends a hundred fields first.
      let status = await client.answer()?.status
      dripping.cancel()
      #expect(status == 408 || status == 431)
    }
  }

  @Test func idleConnectionIsClosedSilently() async throws {
    var timeouts = HTTPTimeouts.generous
    timeouts.idle = .milliseconds(20)
    try await serve(timeouts: timeouts) { port, _ in
      let client = try LoopbackClient(port: port)
      #expect(await client.rest() == "")
    }
  }

  @Test func unresponsiveHandlerTimesOut() async throws {
    var timeouts = HTTPTimeouts.generous
    timeouts.handling = .milliseconds(20)
    try await serve(
      timeouts: timeouts,
      handler: { _ in
        // Ends when it is canceled.
        do { try await Task.sleep(for: .seconds(3_600)) } catch {}
        return HTTPResponse(.ok)
      }
    ) { port, _ in
      let answer = try await LoopbackClient.ask(port, "GET", "/")
      #expect(answer?.status == 503)
    }
  }

  /// Clients that send nothing, or only a part of a request, keep nobody out: the one that has waited longest is ended.
  @Test(arguments: [
    "", "P", "POST / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
  ])
  func waitingConnectionsKeepNobodyOut(text: String) async throws {
    var limits = HTTPLimits()
    limits.connections = 2
    try await serve(limits: limits) { port, server in
      let first = try LoopbackClient(port: port)
      while server.connectionCount < 1 { await Task.yield() }
      let second = try LoopbackClient(port: port)
      await first.send(text)
      await second.send(text)
      while server.connectionCount < 2 { await Task.yield() }
      #expect(try await LoopbackClient.ask(port, "GET", "/3")?.body == "GET /3 \n")
      #expect(await first.rest() == "")
      #expect(server.connectionCount <= 2)
      // The second one was not ended.
      await second.send(text.isEmpty ? "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n" : "")
      if text.isEmpty { #expect(await second.answer()?.body == "GET /2 \n") }
    }
  }

  /// Clients that send nothing, or only a part of a request, are no requests in progress: none of them is ended for another client.
  @Test(arguments: ["", "P", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"])
  func waitingConnectionsTakeNoRequestPlaces(text: String) async throws {
    var limits = HTTPLimits()
    limits.requests = 1
    try await serve(limits: limits) { port, server in
      var clients: [LoopbackClient] = []
      for _ in 0..<100 {
        let client = try LoopbackClient(port: port)
        await client.send(text)
        clients.append(client)
      }
      while server.connectionCount < clients.count { await Task.yield() }
      for number in 0..<20 {
        #expect(try await LoopbackClient.ask(port, "GET", "/\(number)")?.body == "GET /\(number) \n")
      }
      #expect(server.connectionCount >= clients.count)
      let rest = text.isEmpty ? "GET / HTTP/1.1\r\nHost: a\r\n\r\n" : text == "P" ? "UT" : "1234567"
      for client in clients { await client.send(rest) }
      if text != "P" { for client in clients { #expect(await client.answer()?.status == 200) } }
    }
  }

  @Test func requestsBeyondTheLimitWaitInOrder() async throws {
    var limits = HTTPLimits()
    limits.requests = 1
    let (isReleased, handled) = (Locked(false), Locked<[String]>([]))
    try await serve(
      limits: limits,
      handler: { request in
        handled.withLock { handled in handled.append(request.path) }
        while !isReleased.withLock({ isReleased in isReleased }) { await Task.yield() }
        return HTTPResponse(.ok)
      }
    ) { port, server in
      var clients: [LoopbackClient] = []
      for number in 0..<3 {
        clients.append(try LoopbackClient(port: port))
        while server.connectionCount <= number { await Task.yield() }
      }
      for (number, client) in clients.enumerated() {
        await client.send(LoopbackClient.request("GET", "/\(number)"))
        while number == 0, handled.withLock({ handled in handled.isEmpty }) { await Task.yield() }
      }
      let idle = try LoopbackClient(port: port)
      await idle.send("?\r\n\r\n")
      #expect(await idle.answer()?.status == 400, "other clients are served")
      #expect(handled.withLock { handled in handled } == ["/0"])
      isReleased.withLock { isReleased in isReleased = true }
      for client in clients { #expect(await client.answer()?.status == 200) }
      #expect(handled.withLock { handled in handled } == ["/0", "/1", "/2"])
    }
  }

  /// Connections beyond the limit wait while requests are handled.
  @Test func connectionCountIsLimited() async throws {
    var limits = HTTPLimits()
    limits.connections = 2
    let (isReleased, handled) = (Locked(false), Locked(0))
    try await serve(
      limits: limits,
      handler: { request in
        handled.withLock { handled in handled += 1 }
        while request.path != "/3", !isReleased.withLock({ isReleased in isReleased }) { await Task.yield() }
        return HTTPResponse(.ok, text: "GET \(request.path)")
      }
    ) { port, server in
      let first = try LoopbackClient(port: port)
      let second = try LoopbackClient(port: port)
      for (client, path) in [(first, "/1"), (second, "/2")] { await client.send(LoopbackClient.request("GET", path)) }
      while handled.withLock({ handled in handled }) < 2 { await Task.yield() }
      let third = try LoopbackClient(port: port)
      await third.send(LoopbackClient.request("GET", "/3"))
      isReleased.withLock { isReleased in isReleased = true }
      #expect(await first.answer()?.fields["connection"] == "close", "the connection limit is reached")
      #expect(await third.answer()?.body == "GET /3\n")
      #expect(server.connectionCount <= 2)
      #expect(await second.answer()?.body == "GET /2\n")
    }
  }

  @Test func concurrentClientsAreAllAnswered() async throws {
    try await serve { port, _ in
      let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
        for number in 0..<100 {
          group.addTask { try await LoopbackClient.ask(port, "POST", "/\(number)", body: "\(number)")?.status }
        }
        return try await group.reduce(into: []) { statuses, status in statuses.append(status) }
      }
      #expect(statuses == Array(repeating: 200, count: 100))
    }
  }

  @Test func addressErrorsAreReported() async throws {
    try await serve { port, _ in
      let second = HTTPServer(handler: HTTPServer.echo)
      let error = #expect(throws: HTTPServerError.self) { try second.start(port: port) }
      #expect(error?.code == .addressInUse)
      #expect(error?.description == "another process listens on the address: 127.0.0.1:\(port)")
    }
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer(handler: HTTPServer.echo).start(host: "localhost", port: 0)
    }
    #expect(error?.code == .addressError)
  }
}

extension HTTPServer {
  /// A handler that responds with the method, the path and the body of the request.
  static let echo: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
    HTTPResponse(.ok, text: "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
  }
}

extension HTTPTimeouts {
  /// Timeouts that never expire in a test. A test of a timeout sets that one.
  static let generous = {
    var timeouts = HTTPTimeouts()
    (timeouts.idle, timeouts.head, timeouts.body) = (.seconds(3_600), .seconds(3_600), .seconds(3_600))
    (timeouts.handling, timeouts.sending, timeouts.stopping) = (.seconds(3_600), .seconds(3_600), .seconds(3_600))
    return timeouts
  }()
}
