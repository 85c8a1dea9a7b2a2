public import ActionLog
import Dispatch
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A thin wrapper around `URLSession` that fetches and decodes JSON, with descriptive errors.
///
/// ```swift
/// let session = NetworkSession(urlSession: URLSession.shared)
/// let feed: Feed = try await session.json(for: request, from: JSONDecoder())
/// ```
///
/// A module that needs networking declares a protocol with its requirements and conforms this class to it.
public final class NetworkSession<URLSession: NetworkSessionURLSession>: Sendable {
  private let urlSession: URLSession

  /// The error type of ``json(for:from:)``.
  public typealias Error = NetworkSessionError

  /// Creates a session.
  public init(urlSession: URLSession) {
    self.urlSession = urlSession
  }
}

extension NetworkSession {
  /// Performs a request and decodes the JSON response.
  ///
  /// The response must have a status from 200 to 299 and the media type `application/json` (with any parameters).
  ///
  /// - Parameters:
  ///   - request: The request. Its `timeoutInterval` limits the time between two received packets.
  ///   - decoder: The decoder for the body.
  /// - Throws: ``NetworkSessionError``, including the reason if the server sent one line of plain text; `CancellationError` if the
  ///   task was canceled.
  /// - Complexity: O(*n*) in time and memory, where *n* is the length of the body.
  public func json<T: Decodable>(for request: URLRequest, from decoder: JSONDecoder) async throws -> T {
    let data = try await data(for: request)
    do {
      return try decoder.decode(T.self, from: data)
    } catch {
      throw NetworkSessionError(
        .decodingError, "the response does not match the expected JSON", url: request.url, underlying: error)
    }
  }

  /// Performs a request and returns the body of a valid response.
  private func data(for request: URLRequest) async throws -> Data {
    let (data, response) = try await answer(to: request)
    guard let response = response as? HTTPURLResponse else {
      throw NetworkSessionError(.statusError, "the response is not an HTTP response", url: request.url)
    }
    guard (200...299).contains(response.statusCode) else {
      throw NetworkSessionError(
        .statusError, "the server answered with status \(response.statusCode)\(Self.reason(data, response))",
        url: request.url, statusCode: response.statusCode)
    }
    guard response.mimeType?.lowercased() == "application/json" else {
      throw NetworkSessionError(
        .mediaTypeError,
        "the response is of type \(response.mimeType.map { type in "'\(type)'" } ?? "unknown"), not 'application/json'",
        url: request.url, statusCode: response.statusCode)
    }
    return data
  }

  /// The server's reason for an error status, if the body is one line of plain text.
  private static func reason(_ data: Data, _ response: HTTPURLResponse) -> String {
    guard response.mimeType?.lowercased() == "text/plain", data.count <= reasonLimitBytes,
      let text = String(bytes: data, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines),
      !text.isEmpty, !text.contains(where: \.isNewline)
    else { return "" }
    return " (\(text))"
  }

  /// The maximum length of a reason: longer texts are not one sentence.
  private static var reasonLimitBytes: Int { 1_024 }

  private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
    do {
      return try await urlSession.data(for: request)
    } catch {
      // Cancellation is not a network failure.
      try Task.checkCancellation()
      throw NetworkSessionError(.transportError, "the request failed", url: request.url, underlying: error)
    }
  }
}

/// The requirements of a ``NetworkSession``, satisfied by `URLSession` and by test doubles.
public protocol NetworkSessionURLSession: Sendable {
  /// Performs a request. An error status is not an error here.
  func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

extension URLSession: NetworkSessionURLSession {
  /// Performs a request. An error status is not an error here.
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    #if canImport(FoundationNetworking)
    let (answers, continuation) = AsyncThrowingStream<(Data, URLResponse), any Error>.makeStream()
    let task = dataTask(with: request) { data, response, error in
      if let data, let response { continuation.yield((data, response)) }
      continuation.finish(throwing: error)
    }
    return try await withTaskCancellationHandler {
      task.resume()
      for try await answer in answers { return answer }
      throw CancellationError()
    } onCancel: {
      // `cancel()` waits for the session's queue. A handler that waited for it would keep a lock of the Swift task that the queue
      // needs to deliver an error at the same time: a deadlock, which Foundation's own function has.
      DispatchQueue.global().async { task.cancel() }
    }
    #else
    return try await data(for: request, delegate: nil)
    #endif
  }
}

/// An error of a ``NetworkSession``.
public struct NetworkSessionError: DescribedError, Sendable {
  /// The kind of a failure. The cases are checked in this order.
  public enum Code: String, Sendable, CaseIterable {
    /// No complete response: no connection, a broken connection, or a timeout.
    case transportError
    /// The status is not 200 to 299, or the response is not an HTTP response.
    case statusError
    /// The media type is not `application/json`.
    case mediaTypeError
    /// The body is not JSON, or does not match the expected type.
    case decodingError
  }

  /// The kind of failure.
  public var code: Code
  /// A description of the failure in lower case, without the URL.
  public var message: String
  /// The requested URL.
  public var url: URL?
  /// The status of the response; `nil` if there was no HTTP response.
  public var statusCode: Int?
  /// The underlying error of `URLSession` or of the decoder.
  public var underlying: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, url: URL? = nil, statusCode: Int? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.url = url
    self.statusCode = statusCode
    self.underlying = underlying
  }
}

extension NetworkSessionError: LocalizedError {
  /// The URL.
  public var location: ErrorLocation { ErrorLocation(path: url?.absoluteString) }

  /// The description of the error that caused this one.
  public var cause: String? {
    // The description of a Foundation error is very long; its localized description is one sentence.
    underlying.map { error in (error as? URLError)?.localizedDescription ?? "\(error)" }
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}
