import ActionLogTool
import AnimalsData
import HTTPServer
import JSONCoding
import SampleSupport

/// What the server does with requests: one route, the guide's JSON, one store.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 15.
struct AnimalsService<Store: PersistentSessionPersistentStore>: Sendable {
  /// The only path.
  static var path: String { "/animals/api" }

  /// How many queries and mutations a request has at most; clients of the guide send one or two. Each query is answered with all
  /// rows of a table, so a short body of many queries would have an answer that does not fit into memory.
  private static var operationLimit: Int { 100 }

  let store: Store
  /// The names under which the server may be asked; `nil` for any. A web page of a stranger that makes its own name
  /// point to this machine is kept out by it.
  let hosts: Set<String>?
  let journal: RequestJournal

  /// Answers a request.
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
      journal.note("refusal", .string("\(request.body.count) bytes that are no request"))
      return HTTPResponse(.badRequest, text: "the body is no request: \(ErrorSummary(error))")
    }
    let count = (remoteRequest.query?.count ?? 0) + (remoteRequest.mutation?.count ?? 0)
    guard count <= Self.operationLimit else {
      journal.note("refusal", .string("\(count) operations"))
      return HTTPResponse(.contentTooLarge, text: "a request has \(Self.operationLimit) operations at most")
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
      return HTTPResponse(.notFound, text: "there is nothing at this path; POST \(Self.path) asks for animals")
    }
    guard request.method == "POST" else {
      var response = HTTPResponse(.methodNotAllowed, text: "\(Self.path) takes POST, not \(request.method)")
      response.headers.append("Allow", "POST")
      return response
    }
    // Web pages of strangers can send other types without asking first.
    guard request.mediaType == "application/json" else {
      return HTTPResponse(.unsupportedMediaType, text: "the body has to be of type application/json")
    }
    return nil
  }

  /// The name in the field `Host`, without the port.
  private static func name(_ host: String) -> String {
    let name = host.hasPrefix("[") ? host.prefix { character in character != "]" } + "]" : host.prefix { $0 != ":" }
    return name.lowercased()
  }
}
