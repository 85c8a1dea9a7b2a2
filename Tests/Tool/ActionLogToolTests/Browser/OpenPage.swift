import ActionLogTool
import JSONCoding
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

  /// Opens a page, and waits until it shows its revision.
  func open(
    _ path: String, place: String = "", size: (width: Int, height: Int) = (1_200, 800), isDark: Bool = false
  ) async throws {
    try await browser.open(path, place: place, size: size, isDark: isDark)
    try await settled()
  }

  /// Opens the story of the animals at a revision.
  func openAnimals(_ place: String) async throws -> Bench {
    let bench = bench()
    try await bench.recordAnimals()
    try await open(try await write(bench), place: place)
    return bench
  }

  /// Waits until the page has answered everything.
  func settled() async throws { try await browser.wait(for: "globalThis.actionLog?.isSettled() === true") }

  /// Presses keys, and waits until the page has answered.
  func press(_ keys: String...) async throws {
    for key in keys { try await browser.press(key) }
    try await settled()
  }

  /// Clicks on an element, and waits until the page has answered.
  func click(_ selector: String) async throws {
    try await browser.click(selector)
    try await settled()
  }

  /// Types a text into the search field, and searches.
  func search(_ text: String) async throws {
    try await browser.value(
      """
      (() => { const filter = document.getElementById('filter'); filter.value = \(JSONValue.string(text));
      filter.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' })); })()
      """)
    try await settled()
  }

  /// The first and the last revision of the page.
  func ends() async throws -> JSONValue {
    try await browser.value("['min', 'max'].map(end => Number(document.getElementById('slider')[end]))")
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
