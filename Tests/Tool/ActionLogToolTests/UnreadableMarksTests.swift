import ActionLog
import ActionLogTool
import JSONCoding
import Testing

/// Unreadable marks do not prevent reading the log.
@Suite("Marks that cannot be read")
struct UnreadableMarksTests {
  private static let path = "my-log/marks.jsonl"

  /// A log whose marks are no file.
  private func bench() async throws -> Bench {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.createDirectory(Self.path)
    return bench
  }

  @Test("the page is written without them, with a notice and a warning")
  func report() async throws {
    let bench = try await bench()
    let run = await bench.run("report", "my-log", "-o", "page.html")
    #expect(run.status == 0)
    #expect(run.messages.hasPrefix("warning: the marks cannot be read ("), "\(run.messages)")
    #expect(
      run.messages.contains("): \(Self.path). The records do not depend on the marks. Make the file readable, or move"))
    let page = String(decoding: try bench.disk.contents(of: "page.html"), as: UTF8.self)
    #expect(page.contains("<p class=\"notice\" role=\"note\">This page has no marks: the marks cannot be read ("))
    // A name still needs them.
    let named = await bench.run("report", "my-log", "-o", "other.html", "--at", "somewhere")
    #expect(named.status == 3 && named.messages.contains("the marks cannot be read"))
  }

  @Test("the screen opens without them, with a message")
  func screen() async throws {
    let bench = try await bench()
    let run = await bench.run("tui", "my-log", input: ["n\n", "mhere\n", "\n", "ghere\n", "]\n"])
    #expect(run.status == 0)
    let screens = run.output.split(separator: "\n\n counter", omittingEmptySubsequences: false)
    func bottom(_ index: Int) -> String { screens[index].split(separator: "\n").suffix(5).joined(separator: " ") }
    try #require(screens.count == 6, "\(run.output)")
    #expect(bottom(0).contains("the marks cannot be read") && bottom(0).contains(Self.path), "\(bottom(0))")
    #expect(bottom(0).contains("move it away"))
    #expect(screens[1].contains("revision 1 of") && !bottom(1).contains("the marks"))
    // What needs them says why it cannot be done.
    #expect(bottom(3).contains("the marks cannot be read"), "\(bottom(3))")
    #expect(bottom(4).contains("the marks cannot be read"), "\(bottom(4))")
    #expect(bottom(5).contains("the log has no marks"))
  }

  @Test("invalid lines are skipped and reported")
  func flaws() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    _ = await bench.run("mark", "my-log", "2", "two")
    let file = try bench.disk.open(Self.path, for: .append)
    try Array("no mark\n".utf8).withUnsafeBytes { bytes in try file.append(bytes) }
    let report = await bench.run("report", "my-log", "-o", "page.html")
    #expect(report.status == 0 && report.messages.contains("\(Self.path):2 is ignored"), "\(report.messages)")
    let screen = await bench.run("tui", "my-log", input: ["]\n"])
    #expect(screen.output.contains("\(Self.path):2 is ignored: "), "\(screen.output)")
    #expect(screen.output.contains("revision 2 of"))
  }
}
