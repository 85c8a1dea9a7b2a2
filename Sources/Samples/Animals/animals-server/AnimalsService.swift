import ActionLogTool
import AnimalsData
import HTTPServer
import JSONCoding
import SampleSupport

/// Handles the requests of the server: one route, with the JSON of the guide.
struct AnimalsService<Store: PersistentSessionPersistentStore>: Sendable {
  static var path: String { "/animals/api" }

  /// The maximum number of queries and mutations in a request. The guide's clients send one or two. Each query returns
  /// all rows of a table, so the response to a short body with many queries would not fit into memory.
  private static var operationLimit: Int { 100 }

  let store: Store
  /// The accepted host names; `nil` for any. They reject DNS rebinding: a website whose name resolves to this machine.
  let hosts: Set<String>?
  let journal: RequestJournal

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    if let refusal = refusal(of: request) {
      journal.note(
        "refusal", .string("\(request.method) \(request.path): \(refusal.status.code) \(refusal.status.reason)"))
      return refusal
    }
    let remoteRequest: RemoteRequest
    do {
      remoteRequest = try StrictJSONDecoder().decode(RemoteRequest.self, from: request.body)
    } catch {
      journal.note("refusal", .string("a body of \(request.body.count) bytes that is not a valid request"))
      return HTTPResponse(.badRequest, text: "the body is not a valid request: \(ErrorSummary(error))")
    }
    let count = (remoteRequest.query?.count ?? 0) + (remoteRequest.mutation?.count ?? 0)
    guard count <= Self.operationLimit else {
      journal.note("refusal", .string("\(count) operations"))
      return HTTPResponse(.contentTooLarge, text: "a request can have at most \(Self.operationLimit) operations")
    }
    do {
      journal.note("request", try JSONValue(parsing: request.body))
      let body = try StrictJSONEncoder(form: .canonical).encode(try await remoteRequest.answer(from: store))
      journal.note("response", try JSONValue(parsing: body))
      return HTTPResponse(.ok, json: body)
    } catch {
      let text = ErrorSummary(error).description
      journal.note("failure", .string(text))
      // What a client asks for and does not find is no failure of the server.
      let isMissing = (error as? LocalStoreError)?.code == .animalNotFound
      return HTTPResponse(isMissing ? .notFound : .internalServerError, text: text)
    }
  }

  private func refusal(of request: HTTPRequest) -> HTTPResponse? {
    if let hosts, let host = request.headers["Host"], !hosts.contains(Self.name(host)) {
      return HTTPResponse(.misdirectedRequest, text: "this server is not '\(host)'")
    }
    guard request.path == Self.path else {
      return HTTPResponse(.notFound, text: "there is no resource at this path; send requests to POST \(Self.path)")
    }
    guard request.method == "POST" else {
      var response = HTTPResponse(.methodNotAllowed, text: "\(Self.path) accepts POST, not \(request.method)")
      response.headers.append("Allow", "POST")
      return response
    }
    // Websites can send other media types without a preflight request.
    guard request.mediaType == "application/json" else {
      return HTTPResponse(.unsupportedMediaType, text: "the media type of the body must be application/json")
    }
    return nil
  }

  /// Returns the name in a `Host` field, without the port.
  private static func name(_ host: String) -> String {
    let name = host.hasPrefix("[") ? host.prefix { character in character != "]" } + "]" : host.prefix { $0 != ":" }
    return name.lowercased()
  }
}
