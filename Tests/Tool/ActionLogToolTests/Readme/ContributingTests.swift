import Foundation
import Testing

/// The rules of CONTRIBUTING for the sources, with their listed exceptions.
@Suite("Rules of CONTRIBUTING")
struct ContributingTests {
  /// A kind of call, and the files that are allowed to make it.
  struct Rule: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var folder: String
    var pattern: String
    var exceptions: [String]
  }

  static let rules = [
    Rule(
      testDescription: "file calls of Foundation", folder: "Sources",
      pattern: #"\bFileManager\.|\bFileHandle\b|Data\(contentsOf:|String\(contentsOf"#,
      exceptions: [
        "ActionLogTool/Process/", "Samples/Support/EventSourcedStore.swift", "Plugins/", "DirectCodingGenerator/",
        "direct-coding-generator/", "source-fingerprint/",
      ]),
    Rule(
      testDescription: "JSON coders of Foundation", folder: "Sources",
      pattern: #"(^|[^A-Za-z])JSON(Encoder|Decoder|Serialization)\b"#,
      exceptions: [
        "AnimalsRemote/RemoteStore.swift", "QuakesRemote/RemoteStore.swift", "QuakesData/FeedFiles.swift",
        "QuakesData/RemoteResponse.swift", "Services/", "DirectCodingGenerator/Generator.swift",
      ]),
    Rule(
      testDescription: "ends of processes, and signals", folder: "Sources",
      pattern: #"(^|[^.A-Za-z])(exit|signal|sigaction|raise|abort)\((?!_)"#,
      exceptions: [
        "ActionLogTool/Process/", "TerminalUI/", "direct-coding-generator/", "source-fingerprint/", "animals-client/",
        "quakes-client/", "animals-server/",
      ]),
    Rule(
      testDescription: "printing", folder: "Sources", pattern: #"\bwrite: \{ line in print\(|Swift\.print\("#,
      exceptions: ["ImmutableData/DebugOutput.swift"]),
    Rule(
      testDescription: "sleep in tests", folder: "Tests",
      pattern: #"\busleep\(|Task\.sleep\(|Thread\.sleep|[^.a-z ]sleep\("#,
      exceptions: [
        "Trials/Kit/", "TestSupport/Settle.swift", "TestSupport/PseudoTerminal/", "AnimalsProgramTests/Support/",
        "TerminalUITests/BackPressureTests.swift", "HTTPServerTests/", "QuakesDataTests/ListenerTests.swift",
        "ActionLogToolTests/Readme/ContributingTests.swift",
      ]),
  ]

  @Test(arguments: rules)
  func onlyNamedFilesMakeTheCall(rule: Rule) throws {
    let root = URL(filePath: ReadersTests.root).appending(path: rule.folder)
    let expression = try NSRegularExpression(pattern: rule.pattern, options: .anchorsMatchLines)
    let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      count += 1
      let name = String(file.path.dropFirst(root.path.count + 1))
      guard !rule.exceptions.contains(where: { path in "/\(name)".contains("/\(path)") }) else { continue }
      let text = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .filter { line in !line.drop(while: \.isWhitespace).hasPrefix("//") }.joined(separator: "\n")
      let found = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
      let excerpt = found.flatMap { match in Range(match.range, in: text) }.map { range in text[range] }
      #expect(excerpt == nil, "\(name): \(excerpt ?? "")")
    }
    #expect(count > 100)
  }
}
