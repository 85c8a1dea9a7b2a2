import Foundation
import TestSupport
import Testing

/// The source files of the report's page, without a browser.
@Suite struct PageFileTests {
  private static let scripts = ["values.js", "states.js", "rows.js", "panes.js", "keys.js", "start.js"]

  private static func text(_ name: String) throws -> String {
    let tool = try #require(PackageFolder.folder(ofTarget: "ActionLogTool"))
    return try String(contentsOf: tool.appending(path: "HistoryPage/Page/\(name)"), encoding: .utf8)
  }

  private static func matches(_ pattern: String, in text: String) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: 1), in: text).map { range in String(text[range]) }
    }
  }

  @Test(.enabled(if: Executable.find("node") != nil, "needs node"), arguments: scripts)
  func scriptsAreValid(name: String) throws {
    let tool = try #require(PackageFolder.folder(ofTarget: "ActionLogTool"))
    let run = try ProgramRun(["node", "--check", tool.appending(path: "HistoryPage/Page/\(name)").path])
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
        == ["about", "data", "notices", "policy", "script", "style"])
  }

  @Test func scriptsUseElementsOfTheMarkup() throws {
    let ids = Set(try Self.matches(#"\sid="([^"]+)""#, in: try Self.text("page.html")))
    for name in Self.scripts {
      let used = try Self.matches(#"byId\("([^"]+)"\)"#, in: try Self.text(name))
      #expect(Set(used).subtracting(ids).isEmpty, "\(name)")
    }
  }
}
