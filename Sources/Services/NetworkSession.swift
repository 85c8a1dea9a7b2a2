public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A thin wrapper around `URLSession` that fetches and decodes JSON, and says clearly what went wrong.
///
/// ```swift
/// let session = NetworkSession(urlSession: URLSession.shared)
/// let feed: Feed = try await session.json(for: request, from: JSONDecoder())
/// ```
///
/// A product that fetches declares the protocol that it needs, and conforms this class to it.
///
/// - SeeAlso: The ImmutableData programming guide, chapters 11 and 13.
public final class NetworkSession<URLSession: NetworkSessionURLSession>: Sendable {
  private let urlSession: URLSession

  /// What ``json(for:from:)`` throws.
  public typealias Error = NetworkSessionError

  /// Makes a session.
  ///
  /// - Parameter urlSession: What fetches.
  public init(urlSession: URLSession) {
    self.urlSession = urlSession
  }
}

extension NetworkSession {
  /// Fetches what a request asks for and decodes it.
  ///
  /// In this order: an answer must come, its status must be 200 to 299, its media type must be `application/json` (its
  /// parameters do not matter), and its body must decode.
  ///
  /// - Parameters:
  ///   - request: What to fetch. Its `timeoutInterval` bounds the time without any byte.
  ///   - decoder: What decodes the body.
  /// - Throws: ``NetworkSessionError``, which repeats the line of plain text that a server may give as its reason;
  ///   `CancellationError` when the task was cancelled.
  /// - Complexity: O(length of the body), which is held in memory.
  public func json<T: Decodable>(for request: URLRequest, from decoder: JSONDecoder) async throws -> T {
    let data = try await data(for: request)
    do {
      return try decoder.decode(T.self, from: data)
    } catch {
      throw NetworkSessionError(
        .decodingError, "the answer is not the JSON that was expected", url: request.url, underlying: error)
    }
  }

  /// The body of an answer that is what it should be.
  private func data(for request: URLRequest) async throws -> Data {
    let (data, response) = try await answer(to: request)
    guard let response = response as? HTTPURLResponse else {
      throw NetworkSessionError(.statusError, "the answer is not one of HTTP", url: request.url)
    }
    guard (200...299).contains(response.statusCode) else {
      throw NetworkSessionError(
        .statusError, "the server answered with status \(response.statusCode)\(Self.reason(data, response))",
        url: request.url, statusCode: response.statusCode)
    }
    guard response.mimeType?.lowercased() == "application/json" else {
      throw NetworkSessionError(
        .mediaTypeError,
        "the answer is of type \(response.mimeType.map { type in "'\(type)'" } ?? "unknown"), not 'application/json'",
        url: request.url, statusCode: response.statusCode)
    }
    return data
  }

  /// What a server says of its refusal, when it is a line of plain text and not a page.
  private static func reason(_ data: Data, _ response: HTTPURLResponse) -> String {
    guard response.mimeType?.lowercased() == "text/plain", data.count <= reasonLimitBytes,
      let text = String(bytes: data, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines),
      !text.isEmpty, !text.contains(where: \.isNewline)
    else { return "" }
    return " (\(text))"
  }

  /// A sentence is shorter.
  private static var reasonLimitBytes: Int { 1_024 }

  private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
    do {
      return try await urlSession.data(for: request)
    } catch {
      // A task that was cancelled is no failure of the network.
      try Task.checkCancellation()
      throw NetworkSessionError(.transportError, "no complete answer came", url: request.url, underlying: error)
    }
  }
}
