/// What is wrong with a request, and the status to answer with. The connection ends with it: where the next request
/// would begin is not known.
package struct HTTPProblem: Error, Hashable, Sendable {
  /// The status to answer with.
  package let status: HTTPStatus
  /// What is wrong: lower case.
  package let message: String

  /// Makes a problem.
  package init(_ status: HTTPStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
