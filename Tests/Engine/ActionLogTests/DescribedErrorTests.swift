import ActionLog
import JSONCoding
import Testing

@Suite struct DescribedErrorTests {
  /// An error with the required parts only.
  private struct Bare: DescribedError {
    enum Code: String { case tooLoud }

    var code: Code { .tooLoud }
    var message: String { "the music is too loud" }
  }

  /// An error with all parts.
  private struct Full: DescribedError {
    enum Code: String { case stuck }

    var code: Code { .stuck }
    var message: String { "the door is stuck" }
    var location: ErrorLocation { ErrorLocation(path: "house", line: 3, revision: 7, byteOffset: 20) }
    var intact: String? { "The windows open." }
    var advice: MessageText? { "Push harder." }
    var underlying: (any Error)? { Bare() }
    var cause: String? { "\(Bare())" }
  }

  @Test func codeAndMessageAreEnough() {
    let error: any DescribedError = Bare()
    #expect(error.codeName == "tooLoud" && error.headline == "the music is too loud" && "\(error)" == error.headline)
    #expect(error.guidance == nil && error.underlying == nil && error.location == ErrorLocation())
  }

  @Test func descriptionHasAllParts() {
    let error: any DescribedError = Full()
    #expect(error.headline == "the door is stuck: house:3, seq 7, byte 20: the music is too loud")
    #expect(error.guidance?.description == "The windows open. Push harder.")
    #expect("\(error)" == "\(error.headline). The windows open. Push harder.")
  }

  @Test(arguments: [
    (ErrorLocation(), ""), (ErrorLocation(path: "a"), "a"), (ErrorLocation(line: 3), "line 3"),
    (ErrorLocation(revision: 0), "seq 0"), (ErrorLocation(pointer: .root), "at the root"),
    (ErrorLocation(pointer: JSONPointer(["a", "0"]), byteOffset: 5), "at /a/0, byte 5"),
  ])
  func locationNamesTheKnownParts(location: ErrorLocation, text: String) {
    #expect(location.description == text)
  }

  @Test func logErrorBeginsWithTheIntactPart() {
    let error = LogError(
      .damaged, "checksum mismatch", path: "log/1", line: 4, byteOffset: 99, revision: 3,
      intact: "Actions 1…2 are intact.", advice: "Run \(.verify).")
    #expect(
      "\(error)"
        == "checksum mismatch: log/1:4, seq 3, byte 99. Actions 1…2 are intact. Run 'verify'.")
  }

  @Test func fileSystemErrorOmitsThePath() {
    let error: any DescribedError = FileSystemError(code: .locked, operation: "flock", path: "log")
    #expect("\(error)" == "flock: another process holds the lock" && error.location.path == "log")
  }

  @Test func jsonErrorIsDescribed() throws {
    let thrown = #expect(throws: JSONError.self) { _ = try JSONValue(parsing: Array(#"{"a":[1,tru]}"#.utf8)) }
    let error: any DescribedError = try #require(thrown)
    #expect(error.location.byteOffset == thrown?.byteOffset && error.location.pointer == thrown?.path)
    #expect(error.codeName == thrown?.code.rawValue && "\(error)" == thrown?.description)
  }
}
