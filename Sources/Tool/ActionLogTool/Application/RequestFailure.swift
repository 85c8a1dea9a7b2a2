import ActionLog
import HTTPServer
import JSONCoding

/// Why a server of the tool refuses a request, with the status of its answer.
struct RequestFailure: Error {
  var status: HTTPStatus
  var failure: ToolFailure
  /// The methods for the field `Allow`.
  var allowed: String?

  init(_ status: HTTPStatus, _ code: ToolFailure.Code, _ message: MessageText, advice: MessageText? = nil) {
    self.status = status
    failure = ToolFailure(code, .usage, message, advice: advice)
  }

  init(any error: any Error) {
    if let error = error as? RequestFailure {
      self = error
      return
    }
    failure = ToolFailure(any: error)
    status =
      switch failure.codeName {
      case LogError.Code.locked.rawValue: .conflict
      case LogError.Code.revisionOutOfRange.rawValue, LogError.Code.pruned.rawValue, LogError.Code.notFound.rawValue:
        .notFound
      default: failure.status == .usage ? .badRequest : .internalServerError
      }
  }

  static func nothing(at path: JSONPointer, _ revision: Int) -> RequestFailure {
    RequestFailure(.notFound, "notFound", "there is nothing at '\(path)' at revision \(revision)")
  }

  static func missing(_ path: String) -> RequestFailure {
    RequestFailure(.notFound, "noRoute", "there is nothing at \(path.prefix(100))")
  }

  /// Checks the method of a request.
  static func require(_ request: HTTPRequest, _ methods: [String]) throws(RequestFailure) {
    guard !methods.contains(request.method) else { return }
    let allowed = methods.joined(separator: ", ")
    var failure = RequestFailure(
      .methodNotAllowed, "wrongMethod", "\(request.path) accepts \(allowed), not \(request.method)")
    failure.allowed = allowed
    throw failure
  }

  static func tooLarge(_ subject: String, _ bytes: Int) -> RequestFailure {
    tooLarge(subject, "\(bytes)", advice: "Read it with \(command: .state, .option("path")).")
  }

  static func tooLarge(_ subject: String, _ bytes: String, advice: MessageText) -> RequestFailure {
    RequestFailure(.contentTooLarge, "beyondLimit", "\(subject) has \(bytes) bytes", advice: advice)
  }

  func json(_ wording: MessageWording) -> JSONValue {
    var object: JSONObject = ["code": .string(failure.codeName), "message": .string(wording.message(failure.content))]
    object["advice"] = failure.guidance.flatMap(wording.advice).map(JSONValue.string)
    if !failure.excerpt.isEmpty { object["excerpt"] = .array(failure.excerpt.map(JSONValue.string)) }
    return ["error": .object(object)]
  }

  func response(_ wording: MessageWording) -> HTTPResponse {
    var response = HTTPResponse(status, json: json(wording).bytes())
    if let allowed { response.headers.append("Allow", allowed) }
    if status == .unauthorized { response.headers.append("WWW-Authenticate", "Bearer") }
    return response
  }
}
