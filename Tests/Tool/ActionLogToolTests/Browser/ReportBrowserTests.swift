import ActionLog
import ActionLogTool
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// The page in a real browser: what a person does there, and what the engine says to the same questions.
@Suite(
  "The report in a browser", .sharedBrowsers,
  .enabled(if: HeadlessBrowser.program != nil, Comment(rawValue: HeadlessBrowser.need)))
struct ReportBrowserTests {
  private let page: OpenPage
  private var browser: HeadlessBrowser { page.browser }

  init() throws { page = try OpenPage() }

  @Test("by keyboard: step, jump, filter, compare, find the last change of a value")
  func keyboard() async throws {
    let bench = try await page.openAnimals("#at=11")
    try await page.press("ArrowRight")
    #expect(try await browser.text("#differences-title") == "What action 12 changed")
    let differences = try await browser.text("#differences")
    #expect(differences.contains("/animals/data/Dog/diet\n"))
    #expect(differences.contains("\"Carnivore\"") && differences.contains("\"Omnivore\""))
    #expect(try await browser.text("#action-title") == "data.persistentSession.didUpdateAnimal")
    #expect(try await browser.text("#live") == "revision 12 of 23, data.persistentSession.didUpdateAnimal, 3 changes")
    // The changed value is marked in the tree, which was opened that far.
    let changed = try await browser.text("#state .changed")
    #expect(changed.contains("diet") && changed.contains("\"Omnivore\"") && changed.contains("changed"))

    try await page.press("Home")
    #expect(try await browser.value("actionLog.revision()") == 0)
    #expect(try await browser.value("document.getElementById('previous').disabled") == true)
    try await page.press("ArrowLeft", "ArrowDown", "ArrowDown", "n", "p", "End")
    #expect(try await browser.value("actionLog.revision()") == 23)
    try await page.press("g", "1", "2", "Enter")
    #expect(try await browser.value("actionLog.revision()") == 12)

    // The root of the state is selected: move down to the value.
    try await browser.value("document.getElementById('state').focus()")
    try await browser.wait(for: "document.activeElement.id === 'state'")
    while try await browser.text("#pointer") != "/animals/data/Dog/diet" {
      try #require(
        try await browser.value("Number(document.querySelector('#state [aria-selected=true]').dataset.index) < 90")
          == true)
      try await page.press("ArrowDown")
    }
    try await page.press("b")
    let answer = try await browser.text("#blame")
    let blame = await bench.run("blame", "my-log", "/animals/data/Dog/diet", "--at", "12").output
    #expect(blame.contains("\"Carnivore\" → \"Omnivore\""))
    #expect(answer.contains("set by 12 data.persistentSession.didUpdateAnimal"))
    try await page.click("[data-blame=earlier]")
    #expect(try await browser.text("#blame").contains("set by 4, for "))
    try await page.click("#blame [data-revision]")
    #expect(try await browser.value("actionLog.revision()") == 4)
    try await page.press("c", "End")
    #expect(try await browser.text("#differences-title") == "From revision 4 to 23")
    try await page.press("c", "?")
    #expect(try await browser.value("document.getElementById('help').open") == true)
    try await page.press("Escape")
    #expect(try await browser.value("document.getElementById('help').open") == false)
    try await page.done()
  }

  @Test("the filter finds words, actors, and changes of a value, without renumbering")
  func filter() async throws {
    let bench = try await page.openAnimals("#at=0")
    try await page.press("/", "D", "O", "G", "Enter")
    let words = await bench.run("list", "my-log", "--grep", "Dog", "--json").output
    let found = try words.split(separator: "\n").map { line in
      try JSONValue(parsing: Array(line.utf8))["seq"]?.integer ?? 0
    }
    #expect(try await browser.text("#count") == "\(found.count) of 23 actions")
    #expect(try await browser.value("actionLog.revision()") == .integer(found[0]))
    let seqs = try await browser.value(
      "[...document.querySelectorAll('#actions .seq')].map(seq => Number(seq.innerText))")
    #expect(seqs == .array(found.map(JSONValue.integer)))

    let changes = await bench.run("history", "my-log", "/animals/data/Dog/diet", "--json").output
    let revisions = try changes.split(separator: "\n").map { line in
      try JSONValue(parsing: Array(line.utf8))["seq"] ?? .null
    }
    try await page.search("/animals/data/Dog/diet")
    let touched = try await browser.value(
      "[...document.querySelectorAll('#actions .seq')].map(seq => Number(seq.innerText))")
    #expect(touched == .array(revisions) && revisions.count > 1)
    try await page.done()
  }

  @Test("a value's changes are those of the engine, and conditions are refused")
  func conditions() async throws {
    let bench = page.bench()
    try await bench.recordAnimals()
    try await page.open(try await page.write(bench), place: "#at=0")
    func seqs(_ command: String...) async throws -> JSONValue {
      let output = await bench.run([command[0], "my-log"] + command.dropFirst() + ["--json"]).output
      return .array(
        try output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8))["seq"] ?? .null })
    }
    #expect(try await browser.value("getComputedStyle(document.getElementById('searches')).display") == "none")
    for text in ["/a == 1", "data/id exists", "not /a", "/a changed", "(/a changed)", "count(/a) > 1"] {
      try await page.search(text)
      #expect(try await browser.text("#answer").contains("this page cannot evaluate conditions"), "\(text)")
    }

    // Another file: of the same one only the place would be another.
    #expect(await bench.run("report", "my-log", "--output", "other-page.html").status == 0)
    try await page.open(page.directory.path("other-page.html"), place: "#at=15&path=/animals/data/Dog/diet")
    try await page.press("h")
    let changes = "[...document.querySelectorAll('#changes-of-value .path')].map(button => Number(button.innerText))"
    #expect(try await browser.value(changes) == seqs("history", "/animals/data/Dog/diet"))
    let values = try await browser.value(
      "[...document.querySelectorAll('#changes-of-value .values')].map(row => [...row.children].map(part => part.innerText))"
    )
    #expect(
      values == [["nothing", "\"Carnivore\""], ["\"Carnivore\"", "\"Omnivore\""], ["\"Omnivore\"", "\"Carnivore\""]])
    try await page.done()
  }

  @Test("every state, and the last change of a value, match the engine", arguments: [1, 2, 3])
  func agreement(seed: Int) async throws {
    let bench = page.bench(.notebooks)
    let recorded = await bench.run("record", "notebook", "my-log", "--workload", "120", "--seed", "\(seed)")
    try #require(recorded.status == 0, "\(recorded.messages)")
    try await page.open(try await page.write(bench))
    let history = try await History<Notebook>(at: page.directory.path("my-log"))
    // Not in order, so that states are made from wherever the nearest one is.
    for revision in [120, 3, 60, 59, 0, 77] {
      let tree = try StateTree(encoding: history.state(at: revision))
      let text = try await browser.value("actionLog.send('GET', 'value', { at: \(revision), path: '' })").text ?? ""
      #expect(StateTree(try JSONValue(parsing: Array(text.utf8))) == tree, "seed \(seed), revision \(revision)")
      var asked: [String] = []
      var expected: [JSONValue] = []
      for pointer in tree.root.paths().prefix(60) {
        let change = try history.blame(pointer, at: revision).change
        asked.append(pointer.description)
        expected.append(
          change.map { change in
            .array([
              .integer(change.record.revision), change.old.map { old in .string("\(old)") } ?? .null,
              change.new.map { new in .string("\(new)") } ?? .null,
            ])
          } ?? .null)
      }
      let pointers = JSONValue.array(asked.map(JSONValue.string))
      let answers = try await browser.value(
        """
        (() => {
          const value = (at, path) => actionLog.send('GET', 'value', { at, path }).catch(() => null);
          return Promise.all(\(pointers).map(async path => {
            const { change } = (await actionLog.run({ kind: 'blame', path, at: \(revision) })).answer;
            return change && [change.seq, await value(change.seq - 1, path), await value(change.seq, path)];
          }));
        })()
        """)
      #expect(answers == .array(expected), "seed \(seed), revision \(revision)")
    }
    try await page.done()
  }

  @Test("after a step the first changed value is selected, unless another one was")
  func selection() async throws {
    _ = try await page.openAnimals("#at=11")
    try await page.press("ArrowRight")
    #expect(try await browser.text("#pointer") == "/animals/data/Dog/diet")
    try await page.press("b")
    #expect(try await browser.text("#blame").contains("set by 12"))
    try await page.press("Home")
    try await page.click("#state-1 .name")
    let chosen = try await browser.text("#pointer")
    #expect(chosen.hasPrefix("/"))
    try await page.press("g", "1", "2", "Enter")
    #expect(try await browser.text("#pointer") == chosen)
    try await page.done()
  }

  @Test("ten thousand actions open with a few rows made, a few lines read and a few changes applied")
  func large() async throws {
    let bench = page.bench()
    let recorded = await bench.run("record", "animals", "my-log", "--workload", "10000")
    try #require(recorded.status == 0, "\(recorded.messages)")
    try await page.open(try await page.write(bench))
    let last = try await page.ends()["1"]?.integer ?? 0
    #expect(last > 9_900)
    let work = try await browser.value("actionLog.work")
    #expect(work["rowsMade"]?.integer ?? .max < 600)
    #expect(work["linesRead"]?.integer ?? .max < 500)
    #expect(work["changesApplied"]?.integer ?? .max < 6_000)
    #expect(try await browser.value("document.querySelectorAll('.row').length < 150") == true)
    let before = work["changesApplied"]?.integer ?? 0
    try await page.press("Home", "ArrowRight", "End", "ArrowLeft")
    #expect(try await browser.value("actionLog.revision()") == .integer(last - 1))
    let after = try await browser.value("actionLog.work.changesApplied").integer ?? .max
    #expect(after - before < 8_000)
    try await page.done()
  }

  @Test("a cut page has a notice, and claims nothing about earlier actions")
  func cut() async throws {
    let bench = page.bench()
    try await bench.recordAnimals()
    let run = await bench.run("report", "my-log", "--output", "page.html", "--limit", "3", "0", "12")
    #expect(run.status == 0)
    #expect(
      run.messages
        == "warning: the page has only the newest 3 actions, from revision 9 on; --limit COUNT includes more\n")
    try await page.open(page.directory.path("page.html"), place: "#at=10")
    #expect(try await browser.text(".notice").hasPrefix("This page is cut: it begins at revision 9, not at 0"))
    #expect(try await page.ends() == [9, 12])
    try await page.press("b")
    let answer = try await browser.text("#blame")
    #expect(
      answer.contains("set by 10") || answer == "unchanged from revision 9, the first of this page, to revision 10")
    let cat = try await browser.value(
      "actionLog.run({ kind: 'blame', path: '/animals/data/Cat', at: 12 }).then(({ answer }) => answer.change)")
    #expect(cat == .null)
    try await page.done()
  }

  @Test("marks are shown and reachable by a key")
  func marks() async throws {
    let bench = page.bench()
    try await bench.recordAnimals()
    for (point, name) in [("4", "all are there"), ("12", "wrong diet"), ("20", "<b>")] {
      let run = await bench.run("mark", "my-log", point, name, "look here")
      try #require(run.status == 0, "\(run.messages)")
    }
    try await page.open(try await page.write(bench, "0", "15"), place: "#at=0")
    #expect(try await browser.text("#marks") == "⚑ all are there\n⚑ wrong diet")
    try await page.press("]", "]", "]")
    #expect(try await browser.value("actionLog.revision()") == 12)
    #expect(try await browser.text("#action").contains("wrong diet: look here"))
    #expect(try await browser.text("#actions [aria-selected=true]").contains("⚑ wrong diet"))
    try await page.press("[")
    #expect(try await browser.value("actionLog.revision()") == 4)
    try await page.click("#marks button:last-child")
    #expect(try await browser.value("actionLog.revision()") == 12)
    try await page.done()
  }
}
