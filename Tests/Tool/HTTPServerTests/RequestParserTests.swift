import HTTPServer
import TestSupport
import Testing

/// Parsing of valid and invalid requests, in portions of any size.
@Suite struct RequestParserTests {
  /// Parses a text in portions of a number of bytes.
  private func parse(
    _ text: String, portion: Int = .max, limits: HTTPLimits = HTTPLimits()
  ) throws(HTTPProblem) -> [HTTPRequest] {
    var parser = RequestParser(limits)
    var requests: [HTTPRequest] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      parser.append(Array(rest.prefix(portion)))
      rest = rest.dropFirst(portion)
      while let request = try parser.next() { requests.append(request) }
    }
    return requests
  }

  private func status(_ text: String, portion: Int = .max, limits: HTTPLimits = HTTPLimits()) -> Int? {
    do {
      _ = try parse(text, portion: portion, limits: limits)
      return nil
    } catch {
      return error.status.code
    }
  }

  private static let post =
    "POST /animals/api?x=1 HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json; charset=utf-8\r\n"
    + "Content-Length: 2\r\n\r\n{}"
  private static let get = "GET / HTTP/1.1\r\nhost:a\r\n\r\n"
  private static let long =
    "POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 16\r\n\r\nin \r\n\r\n2 lines.\r"

  @Test(arguments: [1, 2, 3, 7, 64, Int.max])
  func requestsAreParsedFromAnyPortions(portion: Int) throws {
    let requests = try parse(Self.post + Self.long + "\r\n" + Self.get + Self.post, portion: portion)
    #expect(requests.map(\.path) == ["/animals/api", "/c", "/", "/animals/api"])
    #expect(requests.map(\.method) == ["POST", "POST", "GET", "POST"])
    #expect(
      requests.map { request in String(decoding: request.body, as: UTF8.self) }
        == ["{}", "in \r\n\r\n2 lines.\r", "", "{}"])
    #expect(requests[0].query == "x=1")
    #expect(requests[0].mediaType == "application/json")
    #expect(requests[0].headers["HOST"] == "localhost:8080")
    #expect(requests[2].headers.fields == [.init(name: "host", value: "a")])
  }

  @Test(arguments: [
    ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1 x\r\n\r\n", 400), (" / HTTP/1.1\r\n\r\n", 400),
    ("G(T / HTTP/1.1\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400), ("GET x HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1\r\n\r\n", 400), ("GET / http/1.1\r\n\r\n", 400), ("GET /ä HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/1.0\r\n\r\n", 505), ("GET / HTTP/0.9\r\n\r\n", 505),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ("BREW / HTTP/1.1\r\n", 501), ("CONNECT a:1 HTTP/1.1\r\n", 501),
    ("GET / HTTP/1.1\nHost: a\n\n", 400), ("\r\n\r\n\r\n\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\r\n", 400),
  ])
  func invalidRequestLines(text: String, code: Int) {
    #expect(status(text) == code)
    #expect(status(text, portion: 1) == code)
  }

  @Test(arguments: [
    ("\r\n", 400), ("Host: a\r\nHost: b\r\n\r\n", 400), ("Host : a\r\n\r\n", 400), ("Host: a\r\n b\r\n\r\n", 400),
    ("Host\r\n\r\n", 400), (": a\r\n\r\n", 400), ("Host: a\u{0}\r\n\r\n", 400), ("Host: a\rb\r\n\r\n", 400),
    ("Host: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", 417),
    ("Host: a\r\nContent-Length: -1\r\n\r\n", 400), ("Host: a\r\nContent-Length: +1\r\n\r\n", 400),
    ("Host: a\r\nContent-Length: 1, 1\r\n\r\n", 400), ("Host: a\r\nContent-Length: \r\n\r\n", 400),
    ("Host: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
    ("Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("Host: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
    ("Host: a\r\nContent-Length: 1048577\r\n\r\n", 413),
    ("Host: a\r\nTransfer-Encoding: chunked\r\n\r\n", 411), ("Host: a\r\nTransfer-Encoding:\r\n\r\n", 411),
    ("Host: a\r\n\r\n", 411),
  ])
  func invalidHeaderFields(fields: String, code: Int) {
    #expect(status("POST / HTTP/1.1\r\n" + fields) == code)
    #expect(status("POST / HTTP/1.1\r\n" + fields, portion: 1) == code)
  }

  @Test func limitsApplyBeforeTheRequestIsComplete() {
    var limits = HTTPLimits()
    limits.requestLineBytes = 20
    limits.headerBytes = 40
    limits.headerFields = 2
    limits.bodyBytes = 4
    let fits = "GET /12345 HTTP/1.1\r\n"
    #expect(status(fits + "Host: a\r\n\r\n", portion: 1, limits: limits) == nil)
    #expect(status("GET /1234567 HTTP/1.1", limits: limits) == nil, "the end of the line may follow")
    #expect(status("GET /12345678 HTTP/1.1", limits: limits) == 414)
    #expect(status("GET /1234567 HTTP/1.1\r\n", limits: limits) == 414)
    #expect(status(fits + "Host: " + String(repeating: "a", count: 40), limits: limits) == 431)
    #expect(status(fits + "Host: a\r\nA: 1\r\nB: 2\r\n", limits: limits) == 431)
    #expect(status(fits + "A: 1234567890\r\nB: 1234567890123456789012\r\n", limits: limits) == 431)
    let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
    #expect(status(post + "4\r\n\r\n1234", limits: limits) == nil)
    #expect(status(post + "5\r\n\r\n", limits: limits) == 413)
  }

  @Test func stageIsThePartBeingReceived() throws {
    var parser = RequestParser()
    #expect(parser.stage == .idle)
    parser.append([UInt8(ascii: "P")])
    #expect(parser.stage == .head)
    parser.append(Array("OST / HTTP/1.1\r\nHost: a\r\n".utf8))
    #expect(try parser.next() == nil)
    #expect(parser.stage == .head)
    parser.append(Array("Content-Length: 1\r\n\r\n".utf8))
    #expect(try parser.next() == nil)
    #expect(parser.stage == .body)
    parser.append([0])
    #expect(try parser.next() != nil)
    #expect(parser.stage == .idle)
  }

  /// Random mutations never trap, and the portions do not change the result.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func mutatedRequestsNeverTrap(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes = Array((Self.post + Self.long + Self.get).utf8)
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: place)
      default: bytes.insert([0x0A, 0x0D, 0x20, 0x3A, 0x39, 0x00].randomElement(using: &generator) ?? 0, at: place)
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let whole = Result { () throws(HTTPProblem) in try parse(text) }
    let parts = Result { () throws(HTTPProblem) in
      try parse(text, portion: Int.random(in: 1...9, using: &generator))
    }
    switch (whole, parts) {
    case (.success(let one), .success(let other)): #expect(one == other)
    case (.failure(let one), .failure(let other)): #expect(one.status == other.status)
    default: Issue.record("the result depends on the portions: \(whole), \(parts)")
    }
  }

  @Test func datesAreInHTTPFormat() {
    #expect(HTTPDate.text(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.text(secondsSince1970: 951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
  }
}
