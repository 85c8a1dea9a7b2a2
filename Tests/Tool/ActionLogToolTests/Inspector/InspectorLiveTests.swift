import ActionLog
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The page over hostile logs, over large states, and over a log whose recorder is killed, in a browser.
extension InspectorBrowserTests {
  private static let markup = "</script><img src=x onerror=alert(1)><b>bold</b>\u{202E}gnp.exe\u{2066}"

  /// The records of a hostile log of the animals: markup and bidirectional text everywhere, and then one long string each as a
  /// name, an identifier, an actor and other metadata.
  private static func hostileDrafts(stringBytes: Int) -> [LogDraft] {
    let long = String(repeating: markup, count: stringBytes / markup.utf8.count)
    func animal(_ identifier: String, _ name: String, _ meta: JSONObject = [:]) -> LogDraft {
      let animal: JSONValue = [
        "animalId": .string(identifier), "name": .string(name), "diet": "Herbivore", "categoryId": "Fish",
      ]
      let data: JSONValue = ["id": "t", "result": ["success": ["animal": animal]]]
      return LogDraft(
        type: "data.persistentSession.didAddAnimal", data: data.bytes(), meta: JSONValue.object(meta).bytes())
    }
    func appearance(_ meta: JSONObject) -> LogDraft {
      LogDraft(type: "ui.animalList.onAppear", data: Array("{}".utf8), meta: JSONValue.object(meta).bytes())
    }
    return [
      animal(markup, markup, ["actor": .string(markup), "note": .string(markup), "correlation": .string(markup)]),
      animal("Big", long), animal(long, "Long"), appearance(["actor": .string(long)]),
      appearance(["actor": "ann", "note": .string(long)]), appearance(["correlation": .string(long)]),
      animal("Small", "small"),
    ]
  }

  @Test func longHostileTextsAreText() async throws { try await expectText(stringBytes: 3 << 20) }

  @Test(.enabled(if: TestRun.includesLargest, "takes 1.2 GiB: set ACTIONLOG_LARGEST=1"))
  func longestHostileTextsAreText() async throws {
    try await expectText(stringBytes: 15 << 20)
  }

  private func expectText(stringBytes: Int) async throws {
    let log = directory.path("my-log")
    let drafts = Self.hostileDrafts(stringBytes: stringBytes)
    try await InspectorRun.write(log, model: "animals", drafts.map { draft in [draft] })
    let run = try await InspectorRun(log, "--at", "1")
    try await browser.open(address: run.address)
    try await settled()
    // Goes to a revision and selects its first changed value, in place of the one that was asked about.
    func go(_ revision: Int) async throws {
      try await browser.value("actionLog.select(''), void actionLog.go(\(revision))")
    }
    for revision in 1...7 {
      try await go(revision)
      try await browser.wait(for: "actionLog.revision() === \(revision) && actionLog.isSettled()")
      #expect(try await browser.value("document.getElementById('answer').hidden") == true, "\(revision)")
      #expect(try await browser.text("#action-title").hasSuffix((4...6).contains(revision) ? "onAppear" : "Animal"))
      try await browser.press("b")
      try await settled()
      try await browser.press("h")
      try await settled()
      try await browser.press("x")
      try await browser.wait(for: "document.querySelector('#divergence caption') !== null && actionLog.isSettled()")
      try await browser.press("x")
      try await browser.wait(for: "document.getElementById('branch-part').hidden && actionLog.isSettled()")
    }
    // A long value is truncated, and its answers are there.
    try await go(2)
    try await browser.wait(for: "actionLog.revision() === 2 && actionLog.isSettled()")
    try await browser.press("b")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('set by 2 ')")
    #expect(try await browser.text("#blame").contains("action-log blame"))
    // A path with a truncated name leads nowhere, and the page says so.
    try await go(3)
    try await browser.wait(for: "actionLog.revision() === 3 && actionLog.isSettled()")
    try await browser.press("b")
    #expect(try await browser.text("#live").contains("too long for this page"))
    #expect(
      try await browser.value("document.querySelectorAll('main img, main b, header img, script[src]').length") == 0)
    #expect(try await browser.value("document.body.innerText.includes('\\u202e')") == false)
    #expect(try await browser.text("#actions").contains("</script><img src=x onerror=alert(1)>"))
    #expect(try await browser.value("document.documentElement.outerHTML.length < 1000000") == true)
    try await done(run)
  }

  /// A recorder writes 100 000 actions, is killed in between, and started again.
  @Test func pageFollowsARecorderThatIsKilled() async throws {
    let log = LogOnDisk(at: directory.path("my-log"))
    let (half, all) = (50_000, 100_000)
    let first = try ToolProcess(["record", "counter", log.path, "--durability", "written"])
    first.feed { _ in String(repeating: LogOnDisk.increment, count: 100) }
    _ = try await first.nextLine()
    let run = try await InspectorRun(log.path)
    try await browser.open(address: run.address)
    try await settled()
    try await browser.press("f")
    try await browser.value("void (globalThis.begun = actionLog.revision())")
    // The recorder waits while nobody reads its lines: two thousand of them are more than a pipe holds.
    let early = 2_000
    for _ in 1..<early { _ = try await first.nextLine() }
    try await browser.wait(for: "actionLog.revision() > begun")
    for _ in early..<half { _ = try await first.nextLine() }
    first.kill(SIGKILL)
    _ = try await first.remainingOutput()
    #expect(try await first.wait() == .signal(SIGKILL))
    let written = try LogReader.open(at: log.path).extent().lastRevision
    try #require(written >= half)
    // Moving back pauses.
    try await browser.wait(for: "actionLog.revision() >= \(half) && actionLog.isSettled()")
    try await browser.press("ArrowLeft")
    try await settled()
    let paused = try #require(try await browser.value("actionLog.revision()").integer)
    let count = max(0, all - written)
    let second = try await ToolRun(
      "record", "counter", log.path, "--durability", "written",
      input: String(repeating: LogOnDisk.increment, count: count))
    let last = try #require(try second.answers().last?.revision)
    #expect(last == all || count == 0)
    let status = "document.getElementById('status').innerText"
    let total = "\(last)".count == 6 ? "100\u{202F}000" : "\(last)"
    try await browser.wait(for: "\(status).startsWith('closed \(total) (+')")
    #expect(try await browser.value("actionLog.revision()").integer == paused)
    #expect(try await browser.value("document.getElementById('follow').getAttribute('aria-pressed')") == "false")
    try await browser.press("f")
    try await browser.wait(for: "actionLog.revision() === \(last) && actionLog.isSettled()")
    #expect(try await browser.value("\(status) === 'closed \(total)'") == true)
    #expect(try await browser.text("#value") == "\(last)")
    #expect(try await browser.text("#actions [aria-selected=true] .seq") == "\(last)")
    // The density counts every action.
    let counts = """
      [...document.querySelectorAll('#density-rows td:nth-child(2)')]
        .reduce((sum, cell) => sum + parseInt(cell.innerText.replace(/\\s/g, '')), 0)
      """
    try await browser.wait(for: "\(counts) === \(last)")
    try await done(run)
  }

  /// A step in a state of 100 000 entities costs what the action changed: bytes of answers, rows and work are counted.
  @Test func stepAmongManyEntitiesIsSmall() async throws {
    let log = directory.path("my-log")
    let count = 100_000
    let animals = (0..<count).map { number -> JSONValue in
      ["animalId": .string("animal-\(number)"), "name": "x", "diet": "Herbivore", "categoryId": "Fish"]
    }
    let fetched: JSONValue = ["result": ["success": ["animals": .array(animals)]]]
    let updates = (1...20).map { number in
      let animal: JSONValue = [
        "animalId": .string("animal-\(number * 4_000)"), "name": "y", "diet": "Carnivore", "categoryId": "Fish",
      ]
      let data: JSONValue = [
        "animalId": .string("animal-\(number * 4_000)"), "result": ["success": ["animal": animal]],
      ]
      return [LogDraft(type: "data.persistentSession.didUpdateAnimal", data: data.bytes())]
    }
    try await InspectorRun.write(
      log, model: "animals",
      [[LogDraft(type: "data.persistentSession.didFetchAnimals", data: fetched.bytes())]] + updates)
    let run = try await InspectorRun(log, "--at", "2")
    try await browser.open(address: run.address)
    try await settled()
    try await browser.value(
      """
      { globalThis.bytes = 0;
        const usual = globalThis.fetch;
        globalThis.fetch = async (...request) => {
          const answer = await usual(...request), text = await answer.clone().text();
          bytes += text.length;
          return answer;
        };
      }
      """)
    for revision in 3...8 {
      try await browser.value("bytes = 0; globalThis.before = { ...actionLog.work }; void 0")
      try await browser.press("n")
      try await browser.wait(for: "actionLog.revision() === \(revision) && actionLog.isSettled()")
      let spent = try await browser.value(
        "[bytes, actionLog.work.rowsMade - before.rowsMade, actionLog.work.requests - before.requests]"
      ).elements.compactMap(\.integer)
      try #require(spent.count == 3)
      #expect(spent[0] > 0 && spent[0] <= 64 << 10, "revision \(revision): \(spent[0]) bytes")
      #expect(spent[1] > 0 && spent[1] <= 200, "revision \(revision): \(spent[1]) rows")
      #expect(spent[2] <= 20, "revision \(revision): \(spent[2]) requests")
    }
    try await done(run)
  }

  // MARK: - Opening

  @Test func openedFileIsPrivateAndRemoved() async throws {
    let (programs, temporary, seen) = (directory.path("bin"), directory.path("temporary"), directory.path("seen"))
    for path in [programs, temporary] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    // A browser that notes the mode and the contents of what it opens.
    let script = """
      #!/bin/sh
      ls -l "$1" | cut -c 1-10 > '\(seen).part'
      cat "$1" >> '\(seen).part'
      mv '\(seen).part' '\(seen)'
      """
    for name in ["open", "xdg-open"] {
      try Data(script.utf8).write(to: URL(fileURLWithPath: "\(programs)/\(name)"))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(programs)/\(name)")
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try ToolProcess(
      ["inspect", Self.animals, "--open", "--json"],
      launcher: ["/usr/bin/env", "PATH=\(programs):\(path)", "TMPDIR=\(temporary)"])
    let line = try #require(try await run.nextLine())
    let address = try #require(try JSONValue(parsing: line.utf8)["url"]?.text)
    try #require(try await eventually(asking: { FileManager.default.fileExists(atPath: seen) }))
    let text = try String(contentsOfFile: seen, encoding: .utf8)
    #expect(text.hasPrefix("-rw-------\n") && text.contains("url=\(address)\""), "\(text)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).count == 1)
    run.kill(SIGINT)
    #expect(try await run.wait() == .status(0))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
    try await browser.quit()
  }
}
