import Foundation
import Platform
import Services
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct NetworkSessionTests {
  private struct Numbers: Decodable, Equatable {
    var numbers: [Int]
  }

  private struct Broken: Error {}

  /// Returns prepared responses, and records requests.
  private final class Double: NetworkSessionURLSession {
    private let answer: @Sendable (URL) throws -> (Data, URLResponse)
    let requests = Locked<[URLRequest]>([])

    init(_ answer: @escaping @Sendable (URL) throws -> (Data, URLResponse)) {
      self.answer = answer
    }

    /// Returns a text, a status and a media type.
    convenience init(_ text: String, status: Int = 200, type: String?) {
      self.init { url in
        let fields = type.map { type in ["Content-Type": type] }
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        guard let response else { throw Broken() }
        return (Data(text.utf8), response)
      }
    }

    func data(for request: URLRequest) async throws -> (Data, URLResponse) {
      requests.withLock { requests in requests.append(request) }
      guard let url = request.url else { throw Broken() }
      return try answer(url)
    }
  }

  private static let text = #"{"numbers":[1,2]}"#

  private func fetch(_ double: Double) async throws -> Numbers {
    var request = URLRequest(url: try #require(URL(string: "https://example.org/numbers")))
    request.setValue("yes", forHTTPHeaderField: "Asked")
    return try await NetworkSession(urlSession: double).json(for: request, from: JSONDecoder())
  }

  private func error(_ double: Double) async throws -> NetworkSessionError {
    try #require(await #expect(throws: NetworkSessionError.self) { try await fetch(double) })
  }

  @Test(arguments: [
    (200, "application/json"), (299, "application/json; charset=utf-8"), (204, "Application/JSON;charset=\"x\""),
  ])
  func validResponsesAreDecoded(status: Int, type: String) async throws {
    let double = Double(Self.text, status: status, type: type)
    #expect(try await fetch(double) == Numbers(numbers: [1, 2]))
    #expect(double.requests.withLock { requests in requests.map { $0.value(forHTTPHeaderField: "Asked") } } == ["yes"])
  }

  @Test(arguments: [199, 300, 304, 404, 500, 503])
  func otherStatusesAreErrors(status: Int) async throws {
    let error = try await error(Double(Self.text, status: status, type: "application/json"))
    #expect(error.code == .statusError)
    #expect(error.statusCode == status)
    #expect("\(error)" == "the server answered with status \(status): https://example.org/numbers")
  }

  @Test(arguments: ["text/html", "application/geo+json", "application/jsonp", nil])
  func otherMediaTypesAreErrors(type: String?) async throws {
    let error = try await error(Double(Self.text, type: type))
    #expect(error.code == .mediaTypeError)
    if let type { #expect(error.message == "the response is of type '\(type)', not 'application/json'") }
    #expect(error.statusCode == 200)
  }

  @Test(arguments: ["", "{", #"{"numbers":["1"]}"#, "[]"])
  func otherBodiesAreErrors(text: String) async throws {
    let error = try await error(Double(text, type: "application/json"))
    #expect(error.code == .decodingError)
    #expect(error.underlying is DecodingError)
    #expect(error.url?.absoluteString == "https://example.org/numbers")
  }

  /// A response is checked in this order: status, media type, body.
  @Test func firstFailureIsReported() async throws {
    #expect(try await error(Double("{", status: 500, type: "text/html")).code == .statusError)
    #expect(try await error(Double("{", type: "text/html")).code == .mediaTypeError)
  }

  @Test func missingResponseIsATransportError() async throws {
    let error = try await error(Double { _ in throw URLError(.notConnectedToInternet) })
    #expect(error.code == .transportError)
    #expect((error.underlying as? URLError)?.code == .notConnectedToInternet)
    #expect(error.localizedDescription == "\(error)")
  }

  @Test func nonHTTPResponseIsAStatusError() async throws {
    let error = try await error(
      Double { url in
        (Data(), URLResponse(url: url, mimeType: "application/json", expectedContentLength: 0, textEncodingName: nil))
      })
    #expect(error.code == .statusError)
    #expect(error.statusCode == nil)
  }

  @Test func cancellationIsNotANetworkError() async {
    let task = Task {
      withUnsafeCurrentTask { task in task?.cancel() }
      return try await fetch(Double { _ in throw URLError(.cancelled) })
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
