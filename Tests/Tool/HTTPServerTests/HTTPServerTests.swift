import HTTPServer
import Platform
import TestSupport
import Testing

/// The server on a port of this machine, against clients that behave and clients that do not.
@Suite(.timeLimit(.minutes(60))) struct HTTPServerTests {
  /// Starts a server that says what it was asked, runs a test, and stops it.
  private func serve(
    limits: HTTPLimits = HTTPLimits(), timeouts: HTTPTimeouts = .patient,
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

  @Test func aConnectionTakesManyRequests() async throws {
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

  @Test func requestsThatComeTogetherAreAnsweredInOrder() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send((0..<20).map { LoopbackClient.request("POST", "/\($0)", body: "x") }.joined())
      for number in 0..<20 { #expect(await client.answer()?.body == "POST /\(number) x\n") }
    }
  }

  @Test func theConnectionEndsWhenTheClientWantsItTo() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(LoopbackClient.request("GET", "/a", fields: ["Connection": "close"]))
      #expect(await client.answer()?.fields["connection"] == "close")
      #expect(await client.rest() == "")
      let old = try LoopbackClient(port: port)
      await old.send("GET /b HTTP/1.0\r\n\r\n")
      #expect(await old.answer()?.body == "GET /b \n")
      #expect(await old.rest() == "")
    }
  }

  @Test func theAnswerToHeadHasNoBody() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(LoopbackClient.request("HEAD", "/a") + LoopbackClient.request("GET", "/b"))
      #expect(await client.answer(hasBody: false)?.fields["content-length"] == "9")
      #expect(await client.answer()?.body == "GET /b \n")
    }
  }

  @Test func chunksAreABody() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send("POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
      await client.send("2\r\nde\r\n0\r\n\r\n")
      #expect(await client.answer()?.body == "POST /c abcde\n")
    }
  }

  @Test func aClientThatAsksIsToldToGoOnOrNot() async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send("POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      #expect(await client.answer()?.status == 100)
      await client.send("abc")
      #expect(await client.answer()?.body == "POST /c abc\n")
      await client.send("POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n")
      #expect(await client.answer()?.status == 413)
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
  func whatIsWrongIsToldAndTheConnectionEnds(text: String, code: Int) async throws {
    try await serve { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(text)
      let answer = try #require(await client.answer())
      #expect(answer.status == code)
      #expect(answer.fields["connection"] == "close")
      #expect(answer.body.isEmpty == false)
      #expect(await client.rest() == "")
      #expect(try await LoopbackClient.ask(port, "GET", "/still")?.body == "GET /still \n", "others are served")
    }
  }

  @Test(arguments: [
    "POST / HT", "POST / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
  ])
  func halfARequestIsNone(text: String) async throws {
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

  /// A client that says less than it has to, for as long as it is let.
  @Test(arguments: ["P", "POST / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"])
  func aSlowClientIsNotWaitedForForEver(text: String) async throws {
    var timeouts = HTTPTimeouts.patient
    (timeouts.head, timeouts.body) = (.milliseconds(20), .milliseconds(20))
    try await serve(timeouts: timeouts) { port, _ in
      let client = try LoopbackClient(port: port)
      await client.send(text)
      #expect(await client.answer()?.status == 408)
      #expect(await client.rest() == "")
    }
  }

  /// The time is that of the whole head: a byte now and then gains nothing.
  @Test func aClientThatDripsIsEnded() async throws {
    var timeouts = HTTPTimeouts.patient
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
      // 408 in time, or 431 when the machine lets the client send a hundred fields before.
      let status = await client.answer()?.status
      dripping.cancel()
      #expect(status == 408 || status == 431)
    }
  }

  @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
    var timeouts = HTTPTimeouts.patient
    timeouts.idle = .milliseconds(20)
    try await serve(timeouts: timeouts) { port, _ in
      let client = try LoopbackClient(port: port)
      #expect(await client.rest() == "")
    }
  }

  @Test func aHandlerThatNeverAnswersIsAFailure() async throws {
    var timeouts = HTTPTimeouts.patient
    timeouts.handling = .milliseconds(20)
    try await serve(
      timeouts: timeouts,
      handler: { _ in
        // Ends when it is cancelled.
        do { try await Task.sleep(for: .seconds(3_600)) } catch {}
        return HTTPResponse(.ok)
      }
    ) { port, _ in
      let answer = try await LoopbackClient.ask(port, "GET", "/")
      #expect(answer?.status == 503)
    }
  }

  /// Beyond the limit connections wait; they are served when another one ends.
  @Test func connectionsAreBounded() async throws {
    var limits = HTTPLimits()
    limits.connections = 2
    try await serve(limits: limits) { port, server in
      let first = try LoopbackClient(port: port)
      let second = try LoopbackClient(port: port)
      await first.send("GET /1 HTTP/1.1\r\n")
      await second.send("GET /2 HTTP/1.1\r\n")
      while server.connectionCount < 2 { await Task.yield() }
      let third = try LoopbackClient(port: port)
      await third.send(LoopbackClient.request("GET", "/3"))
      await first.send("Host: a\r\n\r\n")
      #expect(await first.answer()?.fields["connection"] == "close", "there is no room to stay")
      #expect(await third.answer()?.body == "GET /3 \n")
      #expect(server.connectionCount <= 2)
      await second.send("Host: a\r\n\r\n")
      #expect(await second.answer()?.body == "GET /2 \n")
    }
  }

  @Test func manyClientsAtOnceAreAllAnswered() async throws {
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

  @Test func aPortThatIsTakenIsTold() async throws {
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
