import ActionLog
import EventSourcing
import Foundation
import Interchange
import JSONCoding
import Platform
import Testing

@Suite("Redux DevTools page")
struct DevToolsPageTests {
  private static let hostile = #"</script><script>alert(1)</script><!--<b>&amp;{{script}}"#

  private static func page() throws -> (html: String, lifted: [UInt8]) {
    let log = try MadeLog(
      [LogDraft("ui.tap", #"{"text":"\#(hostile)"}"#)], model: hostile)
    let lifted = try log.lifted(states: [#"{"n":"\#(hostile)"}"#, #"{"n":1}"#])
    let page = DevToolsPage(try log.reader().header)
    var bytes: [UInt8] = []
    page.begin(into: &bytes)
    // The chunks of an export can end anywhere.
    for start in stride(from: 0, to: lifted.count, by: 7) {
      page.append(Array(lifted[start..<min(start + 7, lifted.count)]), into: &bytes)
    }
    page.end(into: &bytes)
    return (html: String(decoding: bytes, as: UTF8.self), lifted: lifted)
  }

  /// Returns the text between the first occurrences of two marks.
  private static func part(of html: String, from start: String, to end: String) throws -> String {
    let begin = try #require(html.range(of: start)).upperBound
    let finish = try #require(html.range(of: end, range: begin..<html.endIndex)).lowerBound
    return String(html[begin..<finish])
  }

  @Test("the page contains the state unchanged and escapes markup")
  func data() throws {
    let (html, lifted) = try Self.page()
    let text = try Self.part(of: html, from: #"<script type="application/json" id="lifted">"#, to: "</script>")
    #expect(try JSONValue(parsing: Array(text.utf8)) == JSONValue(parsing: lifted))
    #expect(html.ranges(of: "<script").count == 2)
    #expect(html.ranges(of: "</script>").count == 2)
    #expect(!html.contains("alert(1)</script>") && !html.contains("<!--") && !html.contains("<b>"))
    #expect(html.contains("<title>&lt;/script&gt;&lt;script&gt;alert(1)"))
    // The name of a value in the title is not replaced.
    #expect(html.contains("&amp;amp;{{script}}, log "))
  }

  @Test("the policy allows only its own script and style, by hash")
  func policy() throws {
    let html = try Self.page().html
    let policy = try Self.part(of: html, from: #"http-equiv="Content-Security-Policy" content=""#, to: "\"")
    let script = try Self.part(of: html, from: "<script>", to: "</script>")
    let style = try Self.part(of: html, from: "<style>", to: "</style>")
    func hash(_ text: String) -> String { "'sha256-\(Data(SHA256.hash(text.utf8)).base64EncodedString())'" }
    #expect(
      policy
        == "default-src 'none'; script-src \(hash(script)); style-src \(hash(style)); base-uri 'none'; form-action 'none'"
    )
    for handler in ["onclick=", "onload=", "onerror=", "src=", "href=", "style=", "http:", "https:"] {
      #expect(!html.contains(handler), "\(handler)")
    }
  }
}
