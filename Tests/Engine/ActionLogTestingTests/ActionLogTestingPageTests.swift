import Foundation
import TestSupport
import Testing

/// The module's page shows code that is compiled and run.
@Suite("The page of ActionLogTesting") struct ActionLogTestingPageTests {
  @Test(arguments: ["model", "program", "test"])
  func codeMatchesTheCompiledFile(name: String) throws {
    let page = try String(
      contentsOf: PackageFolder.root.appending(
        path: "Sources/Engine/ActionLogTesting/ActionLogTesting.docc/ActionLogTesting.md"), encoding: .utf8)
    let source = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "CrashExample.swift"),
      encoding: .utf8)
    let shown = try lines(of: page, between: "<!-- \(name) -->", and: "```").drop { line in !line.hasPrefix("```") }
    let compiled = try lines(of: source, between: "// begin: \(name)", and: "// end: \(name)")
    #expect(Array(shown.dropFirst()) == withoutCommonIndentation(compiled))
    #expect(compiled.count > 5)
  }

  /// Returns the lines between a line and the next one that equals the other.
  private func lines(of text: String, between begin: String, and end: String) throws -> [String] {
    let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let isLine = { (line: String, mark: String) in line.trimmingCharacters(in: .whitespaces) == mark }
    let first = try #require(all.firstIndex { line in isLine(line, begin) }, "there is no line '\(begin)'")
    let last = try #require(all[first...].firstIndex { line in isLine(line, end) }, "there is no line '\(end)'")
    return Array(all[(first + 1)..<last])
  }

  private func withoutCommonIndentation(_ lines: [String]) -> [String] {
    let indents = lines.filter { line in !line.isEmpty }.map { line in line.prefix { $0 == " " }.count }
    return lines.map { line in String(line.dropFirst(indents.min() ?? 0)) }
  }
}
