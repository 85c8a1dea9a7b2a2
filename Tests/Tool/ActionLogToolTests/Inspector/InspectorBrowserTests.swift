import ActionLog
import ActionLogTool
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The page of `inspect` in a real browser.
@Suite(
  "The inspector in a browser", .sharedBrowsers,
  .enabled(if: HeadlessBrowser.program != nil, Comment(rawValue: HeadlessBrowser.need)))
struct InspectorBrowserTests {
  let browser: HeadlessBrowser
  let directory: TemporaryDirectory

  init() throws {
    browser = HeadlessBrowser()
    directory = try TemporaryDirectory()
  }

  func settled() async throws {
    try await browser.wait(for: "globalThis.actionLog?.isSettled() === true")
  }

  /// Opens the dialog of an edit.
  private func openEditing(_ button: String) async throws {
    try await browser.wait(for: "document.querySelector('\(button)').disabled === false")
    try await browser.click(button)
    #expect(try await browser.value("document.getElementById('editing').open") == true)
  }

  /// Loads the page again, and waits until the new one is settled.
  func reload() async throws {
    try await browser.reload()
    try await settled()
  }

  /// Closes the browser, which found nothing wrong and asked for nothing but the page and its data.
  func done(_ run: InspectorRun) async throws {
    #expect(await browser.complaints == [])
    let requests = await browser.requests
    #expect(!requests.isEmpty)
    #expect(
      requests.allSatisfy { request in
        request == run.origin || request.hasPrefix(run.origin + "#") || request.hasPrefix(run.origin + "api/")
      }, "\(requests)")
    try await browser.quit()
    try await run.end()
  }

  static let animals = PackageFolder.root.appending(path: "logs/animals").path

  @Test func tokenLeavesTheAddressAndSurvivesReloads() async throws {
    let run = try await InspectorRun(Self.animals)
    try await browser.open(address: run.address)
    try await settled()
    #expect(try await browser.value("/[#&]t=/.test(location.href)") == false)
    #expect(try await browser.value("actionLog.revision()") == 23)
    try await browser.press("ArrowLeft", "ArrowLeft")
    try await browser.wait(for: "actionLog.revision() === 21")
    // The revision survives, too, also directly after a move.
    try await reload()
    #expect(try await browser.text("#title") == "animals")
    #expect(try await browser.value("actionLog.revision()") == 21)
    // Without the token the page asks for it.
    try await browser.value("sessionStorage.clear()")
    try await browser.reload()
    try await browser.wait(for: "document.getElementById('entry')?.open === true")
    let isEditable = "['skip', 'replace', 'insert', 'move'].map(id => !document.getElementById(id).disabled)"
    #expect(try await browser.value(isEditable) == [false, false, false, false])
    try await browser.value("document.getElementById('entry-token').value = '\(run.address)'")
    try await browser.click("#entry button")
    try await settled()
    #expect(try await browser.value("document.getElementById('entry').open") == false)
    #expect(try await browser.value(isEditable) == [true, true, true, true])
    // The browser reports the answer 401, which was expected.
    let complaints = await browser.complaints
    #expect(complaints.allSatisfy { complaint in complaint.contains("401") }, "\(complaints)")
    try await browser.quit()
    try await run.end()
  }

  /// The page writes the last position of a fast walk a little later. By then the user may have entered another address.
  @Test func anAddressThatIsEnteredDuringAWalkStays() async throws {
    let run = try await InspectorRun(Self.animals, "--at", "11")
    try await browser.open(address: run.address)
    try await settled()
    // The second of two moves within the pause waits for its end. A busy browser may need several attempts.
    let walk = """
      (async () => {
        const pause = () => new Promise((done) => setTimeout(done, 400));
        for (let round = 0; round < 100; round++) {
          await pause();
          await actionLog.go(16);
          await actionLog.go(15);
          if (location.hash === "#at=16") break;
        }
        const before = location.hash;
        location.hash = "#at=3";
        await pause();
        return before + location.hash;
      })()
      """
    #expect(try await browser.value(walk) == "#at=16#at=3")
    try await reload()
    #expect(try await browser.value("actionLog.revision()") == 3)
    try await done(run)
  }

  @Test func keysStepJumpAndCompare() async throws {
    let run = try await InspectorRun(Self.animals, "--at", "11")
    try await browser.open(address: run.address)
    try await settled()
    try await browser.press("ArrowRight")
    try await settled()
    #expect(try await browser.text("#differences-title") == "What action 12 changed")
    let differences = try await browser.text("#differences")
    #expect(differences.contains("/animals/data/Dog/diet\n") && differences.contains("\"Omnivore\""))
    #expect(try await browser.text("#action-title") == "data.persistentSession.didUpdateAnimal")
    #expect(try await browser.text("#live") == "revision 12 of 23, data.persistentSession.didUpdateAnimal, 3 changes")
    let changed = try await browser.text("#state .changed")
    #expect(changed.contains("diet") && changed.contains("\"Omnivore\"") && changed.contains("changed"))
    try await browser.press("Home")
    try await settled()
    #expect(try await browser.value("actionLog.revision()") == 0)
    try await browser.press("g", "1", "2", "Enter")
    try await browser.wait(for: "actionLog.revision() === 12")
    try await browser.press("c", "End")
    try await browser.wait(for: "actionLog.revision() === 23")
    try await settled()
    #expect(try await browser.text("#differences-title") == "From revision 12 to 23")
    try await browser.press("c")
    try await settled()
    #expect(try await browser.text("#differences-title") == "What action 23 changed")
    try await browser.press("?")
    #expect(try await browser.value("document.getElementById('help').open") == true)
    try await browser.press("Escape")
    try await done(run)
  }

  @Test func questionsAreAskedByKeys() async throws {
    let run = try await InspectorRun(Self.animals, "--at", "12")
    try await browser.open(address: run.address)
    try await settled()
    // The first changed value is selected.
    #expect(try await browser.text("#pointer") == "/animals/data/Dog/diet")
    try await browser.press("b")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('set by 12')")
    #expect(try await browser.text("#blame").contains("action-log blame"))
    try await browser.click("[data-blame=earlier]")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('set by 4, for ')")
    try await browser.press("h")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('action-log history')")
    let history = try await RunningProgram.run(
      "action-log", "history", Self.animals, "/animals/data/Dog/diet", "--json"
    ).output
    #expect(
      try await browser.value("document.querySelectorAll('#changes-of-value li').length").integer
        == history.split(separator: "\n").count)
    // Words, as the terminal finds them.
    try await browser.press("/", "D", "O", "G", "Enter")
    try await browser.wait(for: "document.getElementById('count').innerText.includes(' of ')")
    try await settled()
    let shown = try await browser.value(
      "[...document.querySelectorAll('#actions .seq')].map(seq => Number(seq.innerText))")
    let listed = try await RunningProgram.run("action-log", "list", Self.animals, "--grep", "Dog", "--json").output
    let revisions = try listed.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8)["seq"] ?? .null }
    #expect(shown == .array(revisions))
    try await browser.press("Escape", "Escape")
    try await browser.wait(for: "document.getElementById('count').innerText === ''")
    // Keys search for a condition.
    try await browser.press("Home")
    try await settled()
    try await browser.value(
      """
      (() => { const field = document.getElementById('filter'); field.value = '/animals/data/Dog/diet == "Omnivore"';
      field.dispatchEvent(new Event('input')); })()
      """)
    #expect(try await browser.value("document.getElementById('searches').hidden") == false)
    try await browser.press("u")
    try await browser.wait(for: "actionLog.revision() === 12")
    try await browser.click("[data-search=bisect]")
    try await browser.wait(for: "document.getElementById('answer').innerText.includes('--bisect')")
    #expect(try await browser.text("#answer").contains("holds at revision 12"))
    try await done(run)
  }

  /// The text of each element that a selector finds.
  func texts(_ selector: String) async throws -> [String] {
    try await browser.value("[...document.querySelectorAll('\(selector)')].map(found => found.innerText)").elements
      .compactMap(\.text)
  }

  @Test func whatIfIsShownNextToTheRecording() async throws {
    let run = try await InspectorRun(Self.animals, "--at", "12")
    try await browser.open(address: run.address)
    try await settled()
    try await browser.press("x")
    try await browser.wait(for: "document.querySelector('#divergence td') !== null")
    try await settled()
    let wanted = try await RunningProgram.run(
      "action-log", "what-if", Self.animals, "--skip", "12", "--to", "12", "--json"
    ).output
    let changes = try JSONValue(parsing: wanted.utf8)["changes"]?.elements ?? []
    #expect(try await texts("#divergence tbody .path") == changes.compactMap { change in change["path"]?.text })
    #expect(try await texts("#divergence tbody tr:first-child .values") == ["\"Omnivore\"", "\"Carnivore\""])
    #expect(try await browser.text("#what-if").contains("action-log what-if \(Self.animals) --skip 12"))
    // The answer is in view, also below long details.
    #expect(
      try await browser.value("document.getElementById('divergence').getBoundingClientRect().bottom <= innerHeight")
        == true)
    // Both states, with the same path selected.
    let selected = try await texts("#trees [aria-selected=true]")
    #expect(selected.count == 2 && selected[0].contains("Omnivore") && selected[1].contains("Carnivore"))
    #expect(try await browser.text("#actions .off .mark") == "off")
    // The branch moves with the recording.
    try await browser.press("End")
    try await browser.wait(for: "document.querySelector('#divergence caption')?.innerText.startsWith('At revision 23')")
    try await settled()
    #expect(try await browser.text("#divergence caption") == "At revision 23: 2 differences")
    // A wrong action is refused in the dialog, a right one asks.
    try await openEditing("#replace")
    try await browser.value("document.getElementById('editing-text').value = 'nothing'")
    try await browser.click("#editing-form button")
    try await browser.wait(for: "!document.getElementById('editing-error').hidden")
    try await browser.value("document.getElementById('editing-text').value = 'ui.animalList.onAppear'")
    try await browser.click("#editing-form button")
    try await browser.wait(for: "document.querySelectorAll('#what-if .edit').length === 2")
    try await browser.click("#end-what-if")
    try await browser.wait(for: "document.getElementById('branch-part').hidden")
    #expect(try await browser.value("document.querySelector('#divergence, #actions .off')") == .null)
    // The browser reports the refusal, which was expected.
    let complaints = await browser.complaints
    #expect(complaints.allSatisfy { complaint in complaint.contains("400") }, "\(complaints)")
    try await browser.quit()
    try await run.end()
  }

  @Test func editsDuringAMoveAreOfTheNextAction() async throws {
    let run = try await InspectorRun(Self.animals, "--at", "12")
    try await browser.open(address: run.address)
    try await settled()
    // The page has not read action 11 when its edit is requested.
    try await browser.value("(() => { actionLog.go(11); document.getElementById('replace').click(); })()")
    try await browser.wait(for: "document.getElementById('editing').open === true")
    #expect(try await browser.text("#editing-title") == "Replace action 11")
    let shown = try await RunningProgram.run("action-log", "show", Self.animals, "11", "--json").output
    let type = try #require(try JSONValue(parsing: shown.utf8)["type"])
    #expect(try await browser.value("document.getElementById('editing-text').value.split(' ')[0]") == type)
    try await browser.press("Escape")
    try await done(run)
  }

  @Test func whatIfMovesActionsAndTakesOtherModels() async throws {
    let run = try await InspectorRun(Self.animals, "--at", "12")
    try await browser.open(address: run.address)
    try await settled()
    func wanted(_ words: String...) async throws -> [String] {
      let program = try RunningProgram("action-log", ["what-if", Self.animals] + words + ["--json"])
      let answer = try await program.rest().output
      return try JSONValue(parsing: answer.utf8)["changes"]?.elements.compactMap { change in change["path"]?.text }
        ?? []
    }
    // An action is moved; a place that is missing or outside the log is refused in the dialog.
    try await openEditing("#move")
    for place in ["", "24"] {
      try await browser.value("document.getElementById('editing-target').value = '\(place)'")
      try await browser.value("document.getElementById('editing-error').hidden = true")
      try await browser.click("#editing-form .buttons button")
      try await browser.wait(for: "!document.getElementById('editing-error').hidden")
    }
    try await browser.value("document.getElementById('editing-target').value = '8'")
    try await browser.press("Enter")
    try await browser.wait(for: "document.querySelectorAll('#what-if .edit').length === 1")
    try await settled()
    #expect(try await texts("#what-if .edit") == ["12 moved after 8 ×"])
    #expect(try await texts("#divergence tbody .path") == wanted("--move", "12=8", "--to", "12"))
    #expect(try await texts("#actions .off .mark") == ["moved"])
    // Another model folds what the edits left.
    try await browser.value(
      """
      (() => { const model = document.getElementById('with'); model.value = 'animals-with-bug';
      model.dispatchEvent(new Event('change')); })()
      """)
    try await browser.wait(for: "document.querySelectorAll('#what-if .edit').length === 2")
    try await settled()
    #expect(try await browser.text("#what-if").contains("--move '12=8' --with animals-with-bug"))
    #expect(
      try await texts("#divergence tbody .path") == wanted("--move", "12=8", "--with", "animals-with-bug", "--to", "12")
    )
    // Without the other model, the edits are folded by that of the log again.
    try await browser.click("#what-if .edit:last-child")
    try await browser.wait(for: "document.querySelectorAll('#what-if .edit').length === 1")
    #expect(try await browser.value("document.getElementById('with').value") == "")
    try await browser.click("#end-what-if")
    try await browser.wait(for: "document.getElementById('branch-part').hidden")
    // The browser reports the refusal, which was expected.
    let complaints = await browser.complaints
    #expect(complaints.allSatisfy { complaint in complaint.contains("404") }, "\(complaints)")
    try await browser.quit()
    try await run.end()
  }

  @Test func causesChartAndPanesAreReachedByKeys() async throws {
    var bench = Bench()
    bench.directory = directory.path
    let lines = [0, 0, 1, 3, 2, 1].map { cause in
      #"{"type":"didTapIncrementButton","data":{}\#(cause > 0 ? #","meta":{"cause":\#(cause)}"# : "")}"# + "\n"
    }
    let recorded = await bench.run("record", "counter", "my-log", input: lines)
    try #require(recorded.status == 0, "\(recorded.messages)")
    let run = try await InspectorRun(directory.path("my-log"), "--at", "3")
    try await browser.open(address: run.address)
    try await settled()
    // They are read when they are in view.
    try await browser.value("document.getElementById('causes').scrollIntoView()")
    try await browser.wait(for: "document.querySelectorAll('#causes [data-revision]').length === 3")
    #expect(try await texts("#causes [data-revision]").map { text in text.prefix(1) } == ["1", "3", "4"])
    #expect(try await texts("#causes [aria-current]").count == 1)
    try await browser.click("#causes ul ul ul button")
    try await browser.wait(for: "actionLog.revision() === 4")
    // A chart of a number, whose changes the arrows reach.
    try await browser.press("h")
    try await browser.wait(for: "document.getElementById('chart') !== null")
    try await browser.value("document.getElementById('chart').focus()")
    #expect(try await browser.value("document.activeElement.getAttribute('aria-valuetext')") == "revision 6: 6")
    try await browser.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter")
    try await browser.wait(for: "actionLog.revision() === 2")
    try await settled()
    #expect(
      try await browser.value("document.activeElement.getAttribute('aria-label')").text?.contains(
        "6 changes, least 1 at revision 1, greatest 6 at revision 6") == true)
    // Panes change their width by keys, and keep it.
    let width = "document.getElementById('list').getBoundingClientRect().width"
    let before = try #require(Double((try await browser.value(width)).description))
    try await browser.value("document.querySelector('.divider').focus()")
    try await browser.press("ArrowRight", "ArrowRight", "ArrowRight")
    let after = try #require(Double((try await browser.value(width)).description))
    #expect(after > before + 30)
    #expect(try await browser.value("actionLog.revision()") == 2)
    try await reload()
    #expect(try await browser.value("actionLog.revision()") == 2)
    #expect(Double((try await browser.value(width)).description) == after)
    // The time since the row before.
    try await browser.click("#times")
    let times = try await texts("#actions .time")
    #expect(times.count == 6 && times[0].isEmpty && times[1...].allSatisfy { time in time.hasPrefix("+") }, "\(times)")
    // The clipboard of the test's browser cannot be read, so the texts are read from the page. The link has no token.
    try await browser.press("y")
    #expect(try await texts("#copying [data-copy]").count == 8)
    #expect(try await browser.value("actionLog.link()").text == "\(run.origin)#at=2&path=%2Fvalue")
    #expect(
      try await browser.value("actionLog.command()").text
        == "action-log state \(directory.path("my-log")) --at 2 --path /value")
    try await browser.press("Escape", "?")
    let keys = try await texts("#key-rows dt").joined(separator: " ")
    #expect(["o", "x", "y", "f", "t", "Esc"].allSatisfy(keys.contains), "\(keys)")
    try await browser.press("Escape")
    try await done(run)
  }

  @Test func textFromTheLogIsText() async throws {
    var bench = Bench()
    bench.directory = directory.path
    let text = "</script><img src=x onerror=alert(1)><b>bold</b>\\u202Egnp"
    let line = #"{"type":"ui.categoryList.onTapReloadSampleDataButton","data":{},"meta":{"actor":"\#(text)"}}"#
    let recorded = await bench.run("record", "animals", "my-log", input: [line + "\n"])
    try #require(recorded.status == 0, "\(recorded.messages)")
    let run = try await InspectorRun(directory.path("my-log"))
    try await browser.open(address: run.address)
    try await settled()
    #expect(try await browser.text("#action").contains("</script><img src=x onerror=alert(1)><b>bold</b>\\u202egnp"))
    #expect(try await browser.value("document.querySelectorAll('main img, main b').length") == 0)
    try await done(run)
  }

  @Test(arguments: [420, 1_200, 2_400], [false, true])
  func nothingIsCutOff(width: Int, isDark: Bool) async throws {
    let run = try await InspectorRun(Self.animals, "--at", "12")
    try await browser.open(address: run.address, size: (width, 800), isDark: isDark)
    try await settled()
    #expect(try await browser.value("document.documentElement.scrollWidth <= innerWidth") == true)
    #expect(try await browser.value("document.documentElement.scrollHeight <= innerHeight + 1") == true)
    // The selected row stays in view when the legend takes its place above the list.
    try await browser.wait(for: "document.querySelectorAll('#legend button').length > 0")
    try await browser.wait(
      for: """
        (() => { const row = document.querySelector('#actions [aria-selected=true]').getBoundingClientRect(),
        list = document.getElementById('actions').getBoundingClientRect();
        return list.top <= row.top && row.bottom <= list.bottom; })()
        """)
    let names = try await browser.accessibilityTree().compactMap { node -> String? in
      guard let role = node["role"]?["value"]?.text, ["listbox", "tree"].contains(role) else { return nil }
      return "\(role) \(node["name"]?["value"]?.text ?? "")"
    }
    // A narrow screen has one pane at a time.
    #expect(names == (width < 800 ? ["listbox Actions"] : ["listbox Actions", "tree State"]))
    try await done(run)
  }
}
