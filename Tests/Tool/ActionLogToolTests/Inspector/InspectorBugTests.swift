import ActionLog
import ActionLogTool
import AnimalsData
import EventSourcing
import Foundation
import JSONCoding
import PlantedBug
import Platform
import SampleSupport
import TestSupport
import Testing

/// A planted bug is found with the page alone.
extension InspectorBrowserTests {
  /// A short log with the planted bug. Its revisions are that of the new platypus and that at which the name is lost.
  struct BugLog {
    static let birth = 91
    static let wrong = 183

    let path: String

    init(in directory: TemporaryDirectory) async throws {
      path = directory.path("bug-log")
      let name = "Platypus (young)"
      var actions = Array(AnimalsWorkload(seed: 7).prefix(240))
      actions.insert(
        contentsOf: [
          .ui(
            .animalEditor(
              .onTapUpdateAnimalButton(animalId: "Platypus", name: name, diet: .omnivorous, categoryId: "Mammal"))),
          .data(.persistentSession(.didUpdateAnimal(animalId: "Platypus", result: .failure(error: "It timed out.")))),
        ], at: 180)
      let animal = Animal(animalId: "Platypus", name: name, diet: .carnivorous, categoryId: "Mammal")
      actions.insert(
        .data(.persistentSession(.didAddAnimal(id: "Platypus", result: .success(animal: animal)))), at: 90)
      let writer = try LogWriter.open(
        at: path, model: AnimalsWithBug.name, schema: AnimalsWithBug.schema,
        configuration: LogConfiguration(durability: .written))
      _ = try writer.writeNow(actions.map { action in LogDraft(try ActionCoding.encode(action)) })
      try await BlockingWork.run { try writer.closeNow() }
    }
  }

  private static let name = "/animals/data/Platypus/name"
  private static let condition = #"/animals/data/Platypus/name == "Platypus ""#

  private func open(_ log: String = animals, at revision: Int, height: Int = 800) async throws -> InspectorRun {
    let run = try await InspectorRun(log, "--at", "\(revision)")
    try await browser.open(address: run.address, size: (1_200, height))
    try await settled()
    return run
  }

  private func openBug(at revision: Int) async throws -> InspectorRun {
    try await open(BugLog(in: directory).path, at: revision)
  }

  /// Sets the field of the search.
  private func search(_ text: String) async throws {
    try await browser.value(
      """
      (() => { const field = document.getElementById('filter'); field.value = \(JSONValue.string(text));
      field.dispatchEvent(new Event('input')); })()
      """)
  }

  private func answer(contains words: String) async throws -> String {
    try await browser.wait(
      for: "document.getElementById('answer').innerText.includes(\(JSONValue.string(words))) && actionLog.isSettled()")
    return try await browser.text("#answer")
  }

  /// Keeps what the page downloads.
  private func catchDownloads() async throws {
    try await browser.value(
      """
      { const usual = URL.createObjectURL;
        URL.createObjectURL = blob => { globalThis.saved = blob.text(); return usual.call(URL, blob); }; }
      """)
  }

  private static let isMinimized = "!document.getElementById('minimized').hidden && actionLog.isSettled()"
  private static let expectation = "document.getElementById('expectation').value"

  // MARK: - From the value to the test

  @Test func bugIsFoundByKeys() async throws {
    let run = try await openBug(at: BugLog.wrong)
    // The value that the action changed is selected.
    #expect(try await browser.text("#pointer") == Self.name)
    try await browser.press("e")
    try await browser.wait(for: "document.getElementById('filter').value !== ''")
    #expect(try await browser.value("document.getElementById('filter').value").text == Self.condition)
    try await browser.press("B")
    #expect(try await answer(contains: "--bisect").contains("holds at revision \(BugLog.wrong)"))
    try await browser.press("M")
    try await browser.wait(for: Self.isMinimized)
    let rows = try await texts("#minimized li")
    try #require(rows.count == 2)
    for (row, (revision, type)) in zip(
      rows, [(BugLog.birth, "didAddAnimal"), (BugLog.wrong, "didUpdateAnimal")])
    {
      let shown = try await RunningProgram.run(
        "action-log", "show", directory.path("bug-log"), "\(revision)", "--json"
      ).output
      let time = try #require(try JSONValue(parsing: shown.utf8)["time"]?.text)
      let day = time.prefix(10) + " " + time.dropFirst(11).prefix(12)
      #expect(row == "\(revision) \(day) \(type) data.persistentSession")
    }
    #expect(
      try await browser.text("#minimized").contains("2 actions of 183 suffice for \(Self.condition) at revision 183"))
    #expect(try await browser.text("#live") == "2 actions of 183 suffice")
    // The expectation fails with the bug.
    #expect(try await browser.value(Self.expectation).text == "not (\(Self.condition))")
    #expect(try await browser.text("#expectation-source") == "that the condition does not hold:")
    try await catchDownloads()
    try await browser.press("T")
    let written = try await answer(contains: "ReplayTests.swift: 2 of 183 actions")
    #expect(written.contains("The test expects not (\(Self.condition)). It fails until that holds"))
    #expect(written.contains("--expect "))
    let source = try #require(try await browser.value("saved").text)
    #expect(source.contains(#""not (/animals/data/Platypus/name == "Platypus ")""#))
    #expect(source.contains("// \(BugLog.birth)\n") && source.contains("// \(BugLog.wrong)\n"))
    // A bug report begins with the first of them.
    try await browser.press("R")
    let ends = "['from', 'to'].map(name => document.getElementById('reporting-' + name).value)"
    #expect(try await browser.value(ends) == [.string("\(BugLog.birth)"), .string("\(BugLog.wrong)")])
    #expect(
      try await browser.text("#reporting-note") == "These are the actions from the first minimized one to revision 183."
    )
    try await browser.press("Escape")
    // A row leads to its action, and the answer and the selected value stay.
    try await browser.click("#minimized li button")
    try await browser.wait(for: "actionLog.revision() === \(BugLog.birth) && actionLog.isSettled()")
    #expect(try await browser.text("#pointer") == Self.name)
    #expect(try await browser.text("#value") == "\"Platypus (young)\"")
    try await browser.wait(for: Self.isMinimized)
    try await done(run)
    guard WrittenTest.isPossible else { return }
    let failed = try await WrittenTest.outcome(of: ["ReplayTests.swift": source])
    #expect(!failed.isPassed && failed.output.contains("\"name\":\"Platypus \""), "\(failed.output)")
    let passed = try await WrittenTest.outcome(of: ["ReplayTests.swift": source], isMended: true)
    #expect(passed.isPassed, "\(passed.output)")
  }

  @Test func testExpectsTheValueOfTheWhatIf() async throws {
    let run = try await openBug(at: BugLog.wrong)
    try await browser.press("e")
    try await browser.wait(for: "document.getElementById('filter').value !== ''")
    try await browser.press("M")
    try await browser.wait(for: Self.isMinimized)
    // The model without the bug has the right value. The minimized actions stay.
    try await browser.value(
      """
      (() => { const model = document.getElementById('with'); model.value = 'animals';
      model.dispatchEvent(new Event('change')); })()
      """)
    let right = #"/animals/data/Platypus/name == "Platypus (young)""#
    try await browser.wait(for: "\(Self.expectation) === \(JSONValue.string(right)) && actionLog.isSettled()")
    #expect(try await browser.text("#expectation-source") == "the value of the what-if:")
    #expect(try await browser.value("document.getElementById('minimized').hidden") == false)
    // The branch differs from the recording; the value did not change in it.
    let rows = try await texts("#trees [aria-selected=true]")
    #expect(rows.count == 2 && rows[0].hasSuffix("changed") && rows[1].hasSuffix("differs"), "\(rows)")
    try await catchDownloads()
    try await browser.click("#minimized form button")
    let written = try await answer(contains: "The test expects \(right). It fails until that holds")
    #expect(!written.contains("Did you mean"))
    #expect(try await browser.value("saved").text?.contains(#"/name == "Platypus (young)""#) == true)
    // The user's own expectation is kept, and one that holds with the bug is reported.
    try await browser.value(
      """
      (() => { const field = document.getElementById('expectation'); field.value = '\(Self.name) exists';
      field.dispatchEvent(new Event('input')); })()
      """)
    try await browser.click("#end-what-if")
    try await browser.wait(for: "document.getElementById('branch-part').hidden")
    #expect(try await browser.value(Self.expectation).text == "\(Self.name) exists")
    #expect(try await browser.text("#expectation-source") == "this condition:")
    try await browser.press("T")
    let useless = try await answer(contains: "which holds already: it passes with the bug, too")
    #expect(useless.contains("The test expects \(Self.name) exists"))
    // Without the minimized actions, the test has those up to the shown revision.
    try await browser.press("Escape", "Escape")
    try await browser.wait(for: "document.getElementById('minimized').hidden")
    try await browser.press("T")
    _ = try await answer(contains: "ReplayTests.swift: 183 of 183 actions")
    try await done(run)
  }

  /// The steps of the handbook.
  @Test func handbookFindsTheBugWithThePage() async throws {
    let page = try String(
      contentsOf: PackageFolder.root.appending(
        path: "Sources/Tool/ActionLogTool/ActionLogTool.docc/Handbook/FindTheBug.md"), encoding: .utf8)
    let section = try #require(page.split(separator: "## With the page of inspect\n").last)
    let steps = section.split(separator: "\n").filter { line in line.first?.isNumber == true }
    let keys = steps.flatMap { step in
      step.matches(of: /`([a-zA-Z\/])`/).map { match in String(match.1) }
    }
    #expect(keys == ["/", "e", "B", "M", "T"])
    let run = try await openBug(at: 243)
    try await browser.press(keys[0])
    for character in Self.name { try await browser.press(String(character)) }
    try await browser.press("Enter")
    try await browser.wait(for: "document.getElementById('count').innerText.includes(' of ') && actionLog.isSettled()")
    // The first of the actions that changed the value is selected, and so is the value.
    #expect(try await browser.value("actionLog.revision()").integer == BugLog.birth)
    #expect(try await texts("#actions .seq") == ["\(BugLog.birth)", "\(BugLog.wrong)"])
    try await browser.press("ArrowDown")
    try await browser.wait(for: "actionLog.revision() === \(BugLog.wrong) && actionLog.isSettled()")
    #expect(try await browser.text("#pointer") == Self.name)
    try await browser.press(keys[1])
    try await browser.wait(for: "document.getElementById('filter').value === \(JSONValue.string(Self.condition))")
    try await browser.press(keys[2])
    _ = try await answer(contains: "holds at revision \(BugLog.wrong)")
    try await browser.press(keys[3])
    try await browser.wait(for: Self.isMinimized)
    try await browser.press(keys[4])
    _ = try await answer(contains: "ReplayTests.swift: 2 of 183 actions")
    try await done(run)
  }

  // MARK: - Conditions

  @Test func selectedValueBecomesACondition() async throws {
    let run = try await open(at: 12)
    let conditions = [
      ("/animals/data/Dog/diet", #"/animals/data/Dog/diet == "Omnivore""#),
      ("/animals/data/Dog", "count(/animals/data/Dog) == 4"),
      ("/animals/data/Nobody", "not /animals/data/Nobody exists"),
    ]
    for (path, condition) in conditions {
      try await browser.open(address: "\(run.origin)#at=12&path=\(path)")
      try await settled()
      try await reload()
      #expect(try await browser.text("#pointer") == path)
      try await browser.click("#condition")
      try await browser.wait(for: "document.getElementById('filter').value !== ''")
      #expect(try await browser.value("document.getElementById('filter').value").text == condition)
      #expect(try await browser.value("document.getElementById('searches').hidden") == false)
      // What it says holds here.
      try await browser.value("document.querySelector('[data-search=filter]').click()")
      try await browser.wait(for: "document.getElementById('count').innerText.includes(' of ')")
      try await settled()
      #expect(try await browser.value("actionLog.revision()") == 12)
      #expect(try await texts("#actions .seq").contains("12"))
    }
    // Also from the dialog.
    try await search("")
    try await browser.press("y", "e")
    try await browser.wait(for: "document.getElementById('filter').value.startsWith('not ')")
    try await done(run)
  }

  @Test func mistakesInConditionsAreExplained() async throws {
    let run = try await open(at: 12)
    try await browser.press("/")
    for character in #"/animals/data/Dog/diet = "Omnivore""# { try await browser.press(String(character)) }
    try await browser.press("Enter")
    #expect(try await answer(contains: "write '==' to compare").contains("\n"))
    #expect(try await browser.text("#live").isEmpty)
    // A type that is nearly one of the recorded ones.
    try await browser.press("Escape")
    try await search(#"type == "onAppear""#)
    try await browser.press("u")
    let near = try await answer(contains: "holds nowhere")
    #expect(near.contains(#"no checked action has the type "onAppear". Did you mean "#))
    // A value that is not there yet.
    try await search(#"/animals/data/Dog/diet != "Carnivore""#)
    try await browser.press("B")
    _ = try await answer(contains: "holds at revision 0")
    try await browser.value("actionLog.go(15)")
    try await browser.wait(for: "actionLog.revision() === 15 && actionLog.isSettled()")
    try await browser.press("M")
    #expect(try await answer(contains: "holds before any action").contains("so add: and /animals/data/Dog/diet exists"))
    let complaints = await browser.complaints
    #expect(complaints.allSatisfy { complaint in complaint.contains("400") }, "\(complaints)")
    try await browser.quit()
    try await run.end()
  }

  @Test(arguments: ["B", "u", "U", "M"]) func questionWithoutAConditionFocusesTheField(key: String) async throws {
    let run = try await open(at: 12)
    try await browser.press(key)
    #expect(try await browser.value("document.activeElement.id") == "filter")
    #expect(try await browser.text("#live") == "type a condition, such as /value > 3")
    try await done(run)
  }

  // MARK: - What the page says

  @Test func endedQuestionsLeaveNoProgress() async throws {
    let run = try await open(at: 12)
    // Each question is once seen while it runs.
    try await browser.value(
      """
      { const usual = globalThis.fetch, seen = new Set();
        globalThis.said = [];
        new MutationObserver(() => said.push(document.getElementById("live").innerText))
          .observe(document.getElementById("live"), { childList: true });
        globalThis.folded = [];
        new MutationObserver(() => folded.push(document.getElementById("folding").innerText))
          .observe(document.getElementById("folding"), { childList: true });
        globalThis.isFar = false;
        globalThis.fetch = async (address, options) => {
          const answer = await usual(address, options);
          if (isFar && address.startsWith("/api/place")) {
            globalThis.isFar = false;
            return new Response('{"isNear":false,"revision":12}');
          }
          if (options.method !== "GET" || !address.startsWith("/api/jobs/") || seen.has(address)) return answer;
          seen.add(address);
          return new Response('{"status":"running","results":[],"reached":1,"of":9}');
        };
      }
      """)
    // A failed question.
    try await search("/animals/data/Dog/diet == 3")
    try await browser.press("M")
    try await browser.wait(for: "document.getElementById('answer').innerText.includes('does not hold at revision 12')")
    try await settled()
    #expect(try await browser.text("#live").isEmpty)
    #expect(try await browser.value("said.includes('minimize: 1 of 9. Esc cancels')") == true)
    // A state that is folded again, without a move.
    try await browser.value("globalThis.isFar = true")
    try await browser.press("o")
    try await browser.wait(for: "folded.includes('folding to revision 12: 11 %') && actionLog.isSettled()")
    #expect(try await browser.text("#live").isEmpty)
    // A search that found nothing, after its end.
    try await browser.press("/")
    try await search("zebra")
    try await browser.press("Enter")
    try await browser.wait(for: "document.getElementById('live').innerText === '0 actions of 23 found'")
    try await browser.press("Escape")
    try await browser.wait(for: "document.getElementById('count').innerText === '' && actionLog.isSettled()")
    #expect(try await browser.text("#live").isEmpty)
    try await browser.press("f")
    try await browser.wait(for: "actionLog.revision() === 23 && actionLog.isSettled()")
    try await search("zebra")
    try await browser.wait(for: "document.getElementById('live').innerText === '0 actions of 23 found'")
    try await browser.press("f")
    #expect(try await browser.text("#live") == "the end of the log, which is closed")
    try await done(run)
  }

  @Test func selectedValueStaysInOtherStates() async throws {
    let run = try await open(at: 12)
    try await browser.click("#state .changed .name")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('set by 12 ')")
    for (revision, value) in [
      (11, "\"Carnivore\""), (15, "\"Omnivore\""), (4, "\"Carnivore\""), (0, "nothing at this revision"),
    ] {
      try await browser.value("actionLog.go(\(revision))")
      try await browser.wait(for: "actionLog.revision() === \(revision) && actionLog.isSettled()")
      #expect(try await browser.text("#pointer") == "/animals/data/Dog/diet")
      #expect(try await browser.text("#value") == value, "\(revision)")
    }
    // Where only the changes are shown, it can be hidden.
    try await browser.value("actionLog.go(13)")
    try await browser.press("o")
    try await browser.wait(for: "document.getElementById('value').innerText === 'not among the changes'")
    try await browser.press("e")
    try await browser.wait(for: "document.getElementById('filter').value === '/animals/data/Dog/diet == \"Omnivore\"'")
    try await done(run)
  }

  /// The exact line of the answer of `b`.
  @Test func setterIsNamedWithItsTime() async throws {
    let run = try await open(at: 12)
    try await browser.press("b")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('set by 12')")
    #expect(
      try await texts("#blame > p:nth-child(2)") == [
        "set by 12 data.persistentSession.didUpdateAnimal 2026-11-21 09:01:17.746 by ann"
      ])
    // A value that was asked about stays selected.
    try await browser.value("actionLog.go(15)")
    try await browser.wait(for: "actionLog.revision() === 15 && actionLog.isSettled()")
    try await browser.press("b")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes(', for ')")
    #expect(
      try await texts("#blame > p:nth-child(2)") == [
        "set by 12, for 11 s data.persistentSession.didUpdateAnimal 2026-11-21 09:01:17.746 by ann"
      ])
    try await done(run)
  }

  @Test func searchSelectsTheFirstAction() async throws {
    let run = try await open(at: 1)
    try await browser.press("/", "D", "o", "g", "Enter")
    let listed = try await RunningProgram.run("action-log", "list", Self.animals, "--grep", "Dog", "--json").output
    let first = try #require(listed.split(separator: "\n").first)
    let revision = try #require(try JSONValue(parsing: first.utf8)["seq"]?.integer)
    #expect(revision > 1)
    try await browser.wait(for: "actionLog.revision() === \(revision) && actionLog.isSettled()")
    #expect(try await texts("#actions [aria-selected=true] .seq") == ["\(revision)"])
    // One that is found already stays selected, and typing alone selects nothing.
    try await browser.press("ArrowDown")
    try await settled()
    let second = try await browser.value("actionLog.revision()")
    #expect(second.integer.map { second in second > revision } == true)
    try await browser.press("/", "Enter")
    try await settled()
    #expect(try await browser.value("actionLog.revision()") == second)
    try await browser.value("actionLog.go(0)")
    try await browser.wait(for: "actionLog.revision() === 0 && actionLog.isSettled()")
    try await browser.press("/")
    try await search("Dog diet")
    try await browser.wait(for: "document.getElementById('live').innerText.includes(' found') && actionLog.isSettled()")
    #expect(try await browser.value("actionLog.revision()") == 0)
    try await done(run)
  }

  @Test func keysAreListedFromTheFirst() async throws {
    let run = try await open(at: 12, height: 420)
    try await browser.press("?")
    #expect(
      try await browser.value(
        "(() => { const help = document.getElementById('help'); return [help.scrollTop, help.scrollHeight > help.clientHeight]; })()"
      ) == [0, true])
    try await browser.press("Escape")
    #expect(try await browser.value("document.getElementById('help').open") == false)
    try await done(run)
  }

  @Test func labelsOfTheTimelineAreDistinct() async throws {
    let run = try await open(at: 12)
    try await browser.wait(for: "document.querySelectorAll('#legend button').length > 5")
    let labels = try await texts("#legend button")
    #expect(labels.contains("onAppear ui.animalList") && labels.contains("onAppear ui.categoryList"), "\(labels)")
    #expect(labels.contains("didUpdateAnimal"), "\(labels)")
    #expect(Set(labels).count == labels.count, "\(labels)")
    let colors = try await browser.value(
      "[...document.querySelectorAll('#legend .swatch')].map(swatch => getComputedStyle(swatch).backgroundColor)")
    #expect(Set(colors.elements.map(\.description)).count == labels.count, "\(colors)")
    try await done(run)
  }

  /// Browsers reject frequent changes of the address. A reload continues at the last position all the same.
  @Test func positionSurvivesAReloadBeforeTheAddressHasIt() async throws {
    let run = try await open(at: 23)
    try await browser.value("history.replaceState = () => { throw new Error('too frequent'); }")
    try await browser.press("ArrowLeft", "ArrowLeft")
    try await browser.wait(for: "actionLog.revision() === 21 && actionLog.isSettled()")
    #expect(try await browser.value("location.hash") == "#at=23")
    try await reload()
    #expect(try await browser.value("actionLog.revision()") == 21)
    #expect(try await browser.value("location.hash") == "#at=21")
    // Another address is followed.
    try await browser.value("history.replaceState(null, '', '#at=7')")
    try await reload()
    #expect(try await browser.value("actionLog.revision()") == 7)
    try await done(run)
  }
}
