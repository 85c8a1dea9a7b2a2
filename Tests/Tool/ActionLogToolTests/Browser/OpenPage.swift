import ActionLogTool
import TestSupport
import Testing

/// A page that `report` has written, open in a browser.
struct OpenPage {
  let directory: TemporaryDirectory
  let browser: HeadlessBrowser

  init() throws {
    directory = try TemporaryDirectory()
    browser = HeadlessBrowser()
  }

  func bench(_ tool: ActionLogTool = .samples) -> Bench {
    var bench = Bench(tool: tool)
    bench.directory = directory.path
    return bench
  }

  /// Writes the page of `my-log`.
  ///
  /// - Returns: Its path.
  func write(_ bench: Bench, _ arguments: String...) async throws -> String {
    let run = await bench.run(["report", "my-log", "--output", "page.html"] + arguments)
    try #require(run.status == 0, "\(run.messages)")
    return directory.path("page.html")
  }

  /// Opens the story of the animals at a revision.
  func openAnimals(_ place: String) async throws -> Bench {
    let bench = bench()
    try await bench.recordAnimals()
    try await browser.open(try await write(bench), place: place)
    return bench
  }

  /// Closes the browser, which found nothing wrong and asked for nothing but the page.
  func done() async throws {
    let complaints = await browser.complaints
    #expect(complaints == [])
    // The page itself, each time it was opened, and nothing else.
    let requests = await browser.requests
    #expect(!requests.isEmpty)
    #expect(requests.allSatisfy { request in request.hasPrefix("file:///") && request.contains("page.html") })
    try await browser.quit()
  }
}
