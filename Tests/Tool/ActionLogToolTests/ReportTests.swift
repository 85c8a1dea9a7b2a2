import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import Foundation
import JSONCoding
import Platform
import Testing

/// The file that `report` writes, without a browser.
@Suite("The report")
struct ReportTests {
  /// The page that `report` writes to standard output.
  private static func page(_ bench: Bench, _ arguments: String...) async throws -> String {
    let run = await bench.run(["report", "my-log", "--output", "-"] + arguments)
    try #require(run.status == 0, "\(run.messages)")
    return run.output
  }

  /// The first text between two others.
  private static func part(of page: String, from start: String, to end: String) throws -> String {
    let start = try #require(page.range(of: start))
    let end = try #require(page.range(of: end, range: start.upperBound..<page.endIndex))
    return String(page[start.upperBound..<end.lowerBound])
  }

  @Test("the page loads nothing, and its policy allows only its own content")
  func policy() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let page = try await Self.page(bench)
    let policy = try Self.part(of: page, from: "Content-Security-Policy\" content=\"", to: "\">")
    let script = try Self.part(of: page, from: "<script>", to: "</script>")
    let style = try Self.part(of: page, from: "<style>", to: "</style>")
    func hash(_ text: String) -> String { Data(SHA256.hash(text.utf8)).base64EncodedString() }
    #expect(
      policy == "default-src 'none'; script-src 'sha256-\(hash(script))'; style-src 'sha256-\(hash(style))'; "
        + "base-uri 'none'; form-action 'none'")
    for word in ["http:", "https:", " src=", " href=", "@import", "url(", "innerHTML", "eval(", "fetch(", " style="] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
  }

  @Test("texts from a log cannot end their element, and nothing in the source misleads")
  func escaping() async throws {
    let bench = Bench(tool: .notebooks)
    let run = await bench.run("record", "notebook", "my-log", input: Notebook.insertions + Notebook.settings)
    try #require(run.status == 0, "\(run.messages)")
    let page = try await Self.page(bench)
    let data = try Self.part(of: page, from: "id=\"data\">", to: "</script>")
    #expect(!data.contains { character in "<>&".contains(character) })
    let allowed: Set<Unicode.Scalar> = ["\n", "\t"]
    for scalar in page.unicodeScalars where !allowed.contains(scalar) {
      let isHarmless =
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
        && !(0x2028...0x202E).contains(scalar.value) && !(0x2066...0x206F).contains(scalar.value)
      #expect(isHarmless, "U+\(String(scalar.value, radix: 16))")
    }
    // And yet the data is what was recorded.
    let first = data.split(separator: "\n")[2].split(separator: "\t")
    let action = try JSONValue(parsing: Array(first[0].utf8))
    #expect(action["type"] == "insert" && action["data", "text"] == .string(Notebook.texts[0]))
    #expect(action["meta", "actor"] == .string(Notebook.texts[0]))
  }

  @Test("the path of a log is text, too")
  func hostilePath() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let path = "<b>\u{202E}\"log\" & '"
    try bench.disk.rename("my-log", to: path)
    let page = await bench.run("report", path, "-o", "-").output
    #expect(page.contains("<title>counter: &lt;b&gt;\\u202e&quot;log&quot; &amp; &#39;</title>"))
    #expect(!page.contains("<b>"))
  }

  @Test("a page replaces only a page")
  func target() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    #expect(await bench.run("report", "my-log", "-o", "page.html").status == 0)
    let again = await bench.run("report", "my-log", "-o", "page.html", "3", "4", "--at", "3", "--json")
    #expect(again.status == 0)
    let answer = try JSONValue(parsing: Array(again.output.utf8))
    #expect(answer["first"]?.integer == 2 && answer["last"]?.integer == 4 && answer["isCut"] == false)
    #expect(try bench.disk.status(of: "page.html.action-log-part") == nil)
    let refused = await bench.run("report", "my-log", "-o", Bench.segment)
    #expect(refused.status == 2 && refused.messages.contains("the existing file is not an HTML page"))
    #expect(await bench.run("report", "my-log", "-o", "my-log").status == 2)
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test(
    "invalid calls are refused before anything is written",
    arguments: [
      (["report", "my-log"], "'report' needs --output FILE"),
      (["report", "my-log", "-o", "p", "5", "2"], "is after B"),
      (["report", "my-log", "-o", "p", "--at", "9", "0", "3"], "is not on the page, which has 0…3"),
      (["report", "my-log", "-o", "p", "0", "99"], "99"), (["report", "my-log", "-o", "p", "--limit", "0"], "--limit"),
      (["report", "my-log", "-o", "-", "--json"], "cannot be combined"),
    ])
  func refusals(arguments: [String], message: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run(arguments)
    #expect(run.status == 2)
    #expect(run.messages.contains(message), "\(run.messages)")
    #expect(try bench.disk.status(of: "p") == nil)
  }

  @Test("the page of a few actions has the complete state before them")
  func largeState() async throws {
    let bench = Bench()
    let recorded = await bench.run("record", "animals", "my-log", "--workload", "20000")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let page = await bench.run("report", "my-log", "-o", "-", "--", "-12", "end").output
    let lines = page.split(separator: "\n")
    let header = try #require(lines.firstIndex { line in line.contains("\"notices\":[") })
    let state = try JSONValue(parsing: Array(lines[header + 1].utf8))
    let expected = await bench.run("state", "my-log", "--json", "--at", "-13")
    #expect(state == (try JSONValue(parsing: Array(expected.output.utf8)))["state"])
  }

  @Test("omissions are reported before the work begins")
  func cutIsAnnounced() async throws {
    let bench = Bench()
    let recorded = await bench.run("record", "counter", "my-log", "--workload", "5000")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let looks = Locked(0)
    let run = await bench.run("report", "my-log", "-o", "page.html", "--limit", "50", "start", "end") { environment in
      environment.uptime = {
        looks.withLock { looks in
          looks += 1
          return .seconds(2) * looks
        }
      }
    }
    let lines = run.messages.split(separator: "\n")
    #expect(
      lines.first
        == "warning: the page has only the newest 50 actions, from revision 4950 on; --limit COUNT includes more")
    #expect(lines.dropFirst().contains { line in line.hasPrefix("comparing ") }, "\(run.messages)")
    #expect(run.status == 0)
  }

  /// The warning about a cut can be far above the end of a long run, so the summary repeats it.
  @Test(arguments: [
    ("3", "; revisions 0…6 are left out\n"), ("9", "; revision 0 is left out\n"), ("10", "B\n"),
  ])
  func summaryNamesOmittedRevisions(limit: String, end: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run("report", "my-log", "-o", "page.html", "--limit", limit, "start", "end")
    #expect(run.status == 0 && run.output.hasSuffix(end), "\(run.output)")
  }

  @Test("the page of a damaged log has the intact part, with a notice")
  func damaged() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let segment = try bench.disk.open(Bench.segment, for: .overwrite)
    try Array("x".utf8).withUnsafeBytes { bytes in try segment.write(bytes, at: try segment.size() / 2) }
    let run = await bench.run("report", "my-log", "-o", "page.html")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("page.html: revisions 0…"))
    let page = await bench.run("report", "my-log", "-o", "-").output
    #expect(page.contains("The log is damaged after revision "))
  }

  @Test("on a full disk the old page remains")
  func fullDisk() async throws {
    let bench = Bench(capacityBytes: 300_000)
    try await bench.recordCounter()
    #expect(await bench.run("report", "my-log", "-o", "page.html").status == 0)
    let run = await bench.run("report", "my-log", "-o", "page.html")
    #expect(run.status == 3)
    #expect(try bench.disk.status(of: "page.html.action-log-part") == nil)
    #expect(try bench.disk.status(of: "page.html")?.sizeBytes ?? 0 > 40_000)
  }
}
