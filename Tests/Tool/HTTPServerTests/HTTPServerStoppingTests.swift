import HTTPServer
import TestSupport
import Testing

/// Stopping a server, with and without requests in progress.
@Suite(.timeLimit(.minutes(60))) struct HTTPServerStoppingTests {
  /// Requests in progress are answered, idle connections are closed, and new ones are refused.
  @Test func stoppingFinishesRequestsInProgress() async throws {
    let began = AsyncGate()
    let mayEnd = AsyncGate()
    let server = HTTPServer(timeouts: .generous) { request in
      await began.open()
      await mayEnd.wait()
      return HTTPResponse(.ok, text: "answered")
    }
    let port = try server.start(port: 0)
    let idle = try LoopbackClient(port: port)
    let busy = try LoopbackClient(port: port)
    await busy.send(LoopbackClient.request("GET", "/"))
    await began.wait()
    let stopping = Task { await server.stop() }
    #expect(await idle.rest() == "", "idle connections end at once")
    await mayEnd.open()
    let answer = try #require(await busy.answer())
    #expect(answer.body == "answered\n")
    #expect(answer.fields["connection"] == "close")
    #expect(await busy.rest() == "")
    await stopping.value
    #expect(server.connectionCount == 0)
    // Another test's server may use the port for some time.
    let isClosed = try await eventually {
      do { _ = try LoopbackClient(port: port) } catch { return true }
      return false
    }
    #expect(isClosed)
  }

  @Test func stoppingClosesSlowConnections() async throws {
    var timeouts = HTTPTimeouts.generous
    timeouts.stopping = .milliseconds(20)
    let server = HTTPServer(timeouts: timeouts, handler: HTTPServer.echo)
    let port = try server.start(port: 0)
    let slow = try LoopbackClient(port: port)
    await slow.send("GET / HTTP/1.1\r\n")
    while server.connectionCount == 0 { await Task.yield() }
    await server.stop()
    #expect(server.connectionCount == 0)
    await server.stop()
  }

  @Test func stoppingAnUnstartedServerReturns() async {
    await HTTPServer(handler: HTTPServer.echo).stop()
  }
}

/// A gate that is opened once.
private actor AsyncGate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func wait() async {
    if !isOpen { await withCheckedContinuation { continuation in waiting.append(continuation) } }
  }
}
