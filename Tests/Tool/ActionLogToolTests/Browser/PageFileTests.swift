import Foundation
import TestSupport
import Testing

/// The source files of the report's page and of the inspector, without a browser.
@Suite struct PageFileTests {
  private static let scripts = ["values.js", "states.js", "rows.js", "parts.js", "panes.js", "keys.js", "start.js"]
  private static let ownScripts = [
    "source.js", "model.js", "tree.js", "moves.js", "details.js", "questions.js", "whatif.js", "controls.js",
    "timeline.js", "begin.js",
  ]
  private static let inspectorScripts = ["values.js", "rows.js", "parts.js"] + ownScripts

  private static func file(_ name: String) throws -> URL {
    let target = try #require(PackageFolder.folder(ofTarget: "ActionLogTool"))
    let isInspector = name.hasPrefix("inspector.") || ownScripts.contains(name)
    let folder = isInspector ? "Inspector/Page/" : "HistoryPage/Page/"
    return target.appending(path: folder + name)
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
    arguments: scripts + ownScripts)
  func scriptsAreValid(name: String) throws {
    let run = try ProgramRun(["node", "--check", try Self.file(name).path])
    #expect(run.status == 0, "\(run.messages)")
  }

  @Test(
    arguments: scripts + ownScripts + [
      "page.css", "page.html", "inspector.css",
      "inspector.html",
    ])
  func filesEndWithLineFeed(name: String) throws {
    let text = try Self.text(name)
    #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
  }

  @Test(arguments: ["page.css", "inspector.css"])
  func styleSheetHasBalancedBraces(name: String) throws {
    var depth = 0
    for character in try Self.text(name) {
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
        == ["about", "data", "notices", "policy", "script", "style"])
    let inspector = try Self.text("inspector.html")
    #expect(try Self.matches(#"\s(on\w+|style|src|href)="#, in: inspector) == [])
    #expect(try Self.matches(#"\{\{(\w+)\}\}"#, in: inspector).sorted() == ["script", "style"])
  }

  @Test(arguments: [("page.html", scripts), ("inspector.html", inspectorScripts)])
  func scriptsUseElementsOfTheMarkup(markup: String, scripts: [String]) throws {
    var ids = Set(try Self.matches(#"\sid="([^"]+)""#, in: try Self.text(markup)))
    // Some scripts make elements with a name.
    for name in scripts { ids.formUnion(try Self.matches(#"\bid(?: =|:) "([^"]+)""#, in: try Self.text(name))) }
    for name in scripts {
      let used = try Self.matches(#"byId\("([^"]+)"\)"#, in: try Self.text(name))
      #expect(Set(used).subtracting(ids).isEmpty, "\(name)")
    }
  }
}
