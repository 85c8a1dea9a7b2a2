import ActionLogTool
import JSONCoding
import Testing

/// The appearance of the page on a screen and to a screen reader, and its resistance to hostile text.
@Suite(
  "The look of the report in a browser", .sharedBrowsers,
  .enabled(if: HeadlessBrowser.program != nil, Comment(rawValue: HeadlessBrowser.need)))
struct ReportLookTests {
  private let page: OpenPage
  private var browser: HeadlessBrowser { page.browser }

  init() throws { page = try OpenPage() }

  /// A value of the state, as the page copies it.
  private func value(_ path: String, at revision: Int) async throws -> JSONValue {
    try await browser.value("actionLog.send('GET', 'value', { at: \(revision), path: '\(path)' })")
  }

  @Test("hostile markup, scripts and bidirectional text are shown as text")
  func hostile() async throws {
    let bench = page.bench(.notebooks)
    let lines = Notebook.insertions + Notebook.settings
    let run = await bench.run("record", "notebook", "my-log", input: lines)
    try #require(run.status == 0, "\(run.messages)")
    let last = lines.count
    try await page.open(try await page.write(bench))
    // Everything is shown once: each action, and the whole state.
    try await browser.value(
      """
      (async () => {
        for (let place = 0; place <= \(last); place++) await actionLog.go(place);
        document.getElementById('ask').click();
      })()
      """)
    try await page.settled()
    try await page.click("#state-0 .name")
    #expect(try await browser.value("window.hacked ?? null") == .null)
    #expect(try await browser.value("document.scripts.length") == 2)
    #expect(try await browser.value("document.images.length") == 0)
    let shown = try await browser.text("body")
    for scalar in "\u{0}\u{1B}\u{7F}\u{9B}\u{202E}\u{2066}\u{2028}\u{2029}".unicodeScalars {
      #expect(!shown.unicodeScalars.contains(scalar))
    }
    #expect(
      try await value("/notes/11", at: last).text == "\(JSONValue.string(Notebook.texts[0]))")
    #expect(try await value("/table/__proto__/0/whole", at: last) == "9007199254740993")
    #expect(try await browser.value("({}).value === undefined") == true)
    try await page.done()
  }

  @Test("a screen reader gets the role of every element", arguments: [(1_200, 800), (420, 800)])
  func accessibility(width: Int, height: Int) async throws {
    let bench = page.bench()
    try await bench.recordAnimals()
    try await page.open(try await page.write(bench), place: "#at=12", size: (width, height))
    let nodes = try await browser.accessibilityTree().filter { node in node["ignored"] != .bool(true) }
    func names(_ role: String) -> [String] {
      nodes.filter { node in node["role"]?["value"]?.text == role }.compactMap { node in node["name"]?["value"]?.text }
    }
    #expect(names("slider") == ["Revision"])
    #expect(names("spinbutton") == ["Go to revision"])
    #expect(names("listbox") == ["Actions"])
    #expect(names("option").count == 24)
    #expect(names("option")[12].contains("didUpdateAnimal Dog, "))
    #expect(names("button").allSatisfy { name in !name.isEmpty })
    #expect(names("status").count == 1)
    #expect(names("heading").contains("my-log"))
    if width > 800 {
      #expect(names("tree") == ["State"])
      #expect(names("treeitem").contains { name in name.contains("diet") && name.contains("changed") })
    } else {
      // One pane at a time; the others are a button away.
      #expect(names("tree") == [])
      try await page.click("[data-tab=state]")
      #expect(try await browser.value("document.getElementById('state').getBoundingClientRect().width > 300") == true)
      #expect(try await browser.value("document.getElementById('actions').getBoundingClientRect().width") == 0)
    }
    // Everything that can be used is reached by Tab, once, in the order in which it is seen.
    try await browser.value("document.getElementById('number').focus()")
    var seen = ["number"]
    for _ in 0..<40 {
      try await page.press("Tab")
      let id =
        try await browser.value(
          "(e => e.id || e.dataset.tab || e.dataset.type || e.ariaLabel || e.className)(document.activeElement)"
        ).text ?? ""
      if seen.contains(id), id != "path" { break }
      seen.append(id)
    }
    let panes = width > 800 ? ["filter", "actions", "state", "ask"] : ["state"]
    let order = ["number", "compare", "keys", "slider"] + panes
    #expect(seen.filter(order.contains) == order, "\(seen)")
    // What only the service answers is not offered.
    let needed = "[...document.querySelectorAll('[data-needs]')]"
    #expect(
      try await browser.value("\(needed).length > 10 && \(needed).every(part => !part.checkVisibility())") == true)
    #expect(await browser.complaints == [])
    try await browser.quit()
  }

  @Test("nothing is clipped, in dark or light, narrow or wide")
  func sizes() async throws {
    let bench = page.bench()
    try await bench.recordAnimals()
    let path = try await page.write(bench)
    for (width, isDark) in [(360, true), (360, false), (700, true), (900, false), (1_600, true)] {
      try await page.open(path, place: "#at=12", size: (width, 700), isDark: isDark)
      #expect(try await browser.value("document.documentElement.scrollWidth <= innerWidth") == true, "\(width)")
      #expect(try await browser.value("document.documentElement.scrollHeight <= innerHeight") == true, "\(width)")
      let ground = try await browser.value("getComputedStyle(document.body).backgroundColor").text
      #expect(ground == (isDark ? "rgb(20, 23, 28)" : "rgb(255, 255, 255)"))
    }
    try await page.done()
  }

  @Test("with a message the list keeps its room, and the page scrolls to it")
  func notices() async throws {
    let bench = page.bench()
    try await bench.recordAnimals()
    let path = try await page.write(bench, "--limit", "20")
    for (width, height) in [(360, 420), (700, 420), (1_600, 700)] {
      try await page.open(path, place: "#at=12", size: (width, height))
      #expect(try await browser.value("document.querySelectorAll('.notice[role=note]').length") == 1)
      #expect(
        try await browser.value("document.getElementById('actions').clientHeight > 100") == true, "\(width) × \(height)"
      )
      #expect(try await browser.value("document.documentElement.scrollWidth <= innerWidth") == true, "\(width)")
      try await browser.value("document.getElementById('actions').scrollIntoView({ block: 'end' })")
      // Scrolling is done in whole pixels.
      let rest = try await browser.value(
        "document.getElementById('actions').getBoundingClientRect().bottom <= innerHeight + 1")
      #expect(rest == true, "\(width) × \(height)")
    }
    try await page.done()
  }
}
