import Foundation
import TestSupport
import Testing

/// The source files of the page of `inspect` and of `report`, without a browser.
@Suite struct PageFileTests {
  private static let scripts = [
    "values.js", "rows.js", "chunks.js", "source.js", "offline.js", "parts.js", "model.js", "tree.js", "moves.js",
    "details.js", "questions.js", "whatif.js", "controls.js", "timeline.js", "begin.js",
  ]

  private static func file(_ name: String) throws -> URL {
    let target = try #require(PackageFolder.folder(ofTarget: "ActionLogTool"))
    return target.appending(path: "Inspector/Page/" + name)
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: try file(name), encoding: .utf8)
  }

  private static func matches(_ pattern: String, in text: String) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: 1), in: text).map { range in String(text[range]) }
    }
  }

  @Test(
    .enabled(if: Executable.find("node") != nil, "needs node"),
    arguments: scripts)
  func scriptsAreValid(name: String) throws {
    let run = try ProgramRun(["node", "--check", try Self.file(name).path])
    #expect(run.status == 0, "\(run.messages)")
  }

  @Test(arguments: scripts + ["page.css", "page.html"])
  func filesEndWithLineFeed(name: String) throws {
    let text = try Self.text(name)
    #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
  }

  @Test func styleSheetHasBalancedBraces() throws {
    var depth = 0
    for character in try Self.text("page.css") {
      if character == "{" { depth += 1 }
      if character == "}" { depth -= 1 }
      #expect((0...2).contains(depth))
    }
    #expect(depth == 0)
  }

  /// The content security policy blocks inline event handlers and styles, and everything that is loaded.
  @Test func markupHasNoInlineHandlersOrLinks() throws {
    let markup = try Self.text("page.html")
    #expect(try Self.matches(#"\s(on\w+|style|src|href)="#, in: markup) == [])
    #expect(
      try Self.matches(#"\{\{(\w+)\}\}"#, in: markup).filter { name in name != "title" }.sorted()
        == ["data", "head", "script", "style"])
  }

  /// The scripts of a page are one. A function of a second file with the name of another replaces it without an error: the timeline once
  /// had a `place`, as the report has for moves, and no report opened.
  @Test(arguments: ["source.js", "offline.js"])
  func namesAreDeclaredOnce(without other: String) throws {
    let names = try Self.scripts.filter { name in name != other }.flatMap { name in
      try Self.matches(#"(?:^|\n)(?:async )?(?:function|const|let|class) (\w+)"#, in: try Self.text(name))
    }
    let repeated = Dictionary(grouping: names) { name in name }.filter { _, places in places.count > 1 }.keys
    #expect(repeated.isEmpty && names.count > 200, "\(repeated.sorted())")
  }

  @Test func scriptsUseElementsOfTheMarkup() throws {
    // The report has the element of the data.
    var ids = Set(try Self.matches(#"\sid="([^"]+)""#, in: try Self.text("page.html")) + ["data"])
    // Some scripts make elements with a name.
    for name in Self.scripts { ids.formUnion(try Self.matches(#"\bid(?: =|:) "([^"]+)""#, in: try Self.text(name))) }
    for name in Self.scripts {
      let used = try Self.matches(#"byId\("([^"]+)"\)"#, in: try Self.text(name))
      #expect(Set(used).subtracting(ids).isEmpty, "\(name)")
    }
  }
}
