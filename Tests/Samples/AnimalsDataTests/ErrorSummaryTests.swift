import ActionLog
import Foundation
import SampleSupport
import Services
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ErrorSummaryTests {
  private struct Foreign: Error, CustomStringConvertible {
    let code = "hidden"
    let description = "the printer is on fire"
  }

  @Test func describedErrorKeepsCodeMessageAndPlace() {
    let error = LogError(
      .noSpace, "no space is left for the batch", path: "animals.store", intact: "None of it is in the log.",
      underlying: FileSystemError(code: .noSpace, operation: "write", path: "animals.store"))
    let summary = ErrorSummary(error)
    #expect(summary == ErrorSummary(code: "noSpace", message: "no space is left for the batch", place: "animals.store"))
    #expect("\(summary)" == "noSpace: no space is left for the batch: animals.store")
  }

  @Test func causeIsPartOfTheMessage() throws {
    let url = try #require(URL(string: "http://localhost/animals"))
    let cause = FileSystemError(code: .notFound, operation: "connect", path: "/run/server")
    let error = NetworkSessionError(.transportError, "the request failed", url: url, underlying: cause)
    #expect(
      ErrorSummary(error)
        == ErrorSummary(
          code: "transportError", message: "the request failed: connect: the path does not exist",
          place: "http://localhost/animals"))
    #expect(error.localizedDescription == "\(error)")
  }

  @Test func foreignErrorsKeepTheirDescription() {
    let summary = ErrorSummary(Foreign())
    #expect(summary.message == "the printer is on fire" && summary.place == nil)
    #expect(!summary.code.contains("hidden"), "\(summary.code)")
    let offline = URLError(.notConnectedToInternet)
    #expect(ErrorSummary(offline).message == offline.localizedDescription)
    #expect(ErrorSummary(offline).code == "NSURLErrorDomain -1009")
    #expect(ErrorSummary(CancellationError()).code == "cancelled")
  }
}
