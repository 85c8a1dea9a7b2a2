import ActionLog
import ActionLogTool
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The list, the timeline, the keys and the dialogs of the page, in a browser.
extension InspectorBrowserTests {
  /// Opens the page of a log at a revision.
  private func open(
    _ log: String = InspectorBrowserTests.animals, at revision: Int, _ arguments: String...
  ) async throws -> InspectorRun {
    let run = try await InspectorRun(log, ["--at", "\(revision)"] + arguments)
    try await browser.open(address: run.address)
    try await settled()
    return run
  }

  /// Types a text into the field that has the focus.
  private func type(_ text: String) async throws {
    for character in text { try await browser.press(String(character)) }
  }

  /// The names that a screen reader gets for a role.
  private func names(_ role: String) async throws -> [String] {
    try await browser.accessibilityTree().filter { node in
      node["ignored"] != .bool(true) && node["role"]?["value"]?.text == role
    }.compactMap { node in node["name"]?["value"]?.text }
  }

  private static let caption = "document.getElementById('density-caption').textContent"

  // MARK: - Mouse

  @Test func clickAsksWhoSetTheValue() async throws {
    let run = try await open(at: 12)
    #expect(try await browser.text("#blame").isEmpty)
    let status = try await browser.text("#live")
    try await browser.click("#state .changed .name")
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('set by 12 ')")
    // It is quiet.
    #expect(try await browser.text("#live") == status)
    #expect(try await browser.value("document.body.dataset.pane") == "actions")
    // A key selects without a question.
    try await browser.press("ArrowDown")
    #expect(try await browser.text("#pointer") == "/animals/data/Dog/name")
    try await settled()
    #expect(try await browser.text("#blame").isEmpty)
    try await done(run)
  }

  @Test func nextSelectionCancelsAClicksQuestion() async throws {
    let run = try await open(at: 12)
    // Holds the first question until the second one was answered.
    try await browser.value(
      """
      { globalThis.methods = []; globalThis.release = null;
        const usual = globalThis.fetch;
        globalThis.fetch = async (address, options) => {
          if (address.startsWith("/api/jobs")) methods.push(options.method);
          if (address === "/api/jobs" && !release) await new Promise(done => { globalThis.release = done; });
          return usual(address, options);
        };
      }
      """)
    let name = try await browser.value(
      "'#state-' + (Number(document.querySelector('#state .changed').dataset.index) + 1) + ' .name'")
    try await browser.click("#state .changed .name")
    try await browser.wait(for: "globalThis.release !== null")
    try await browser.click(try #require(name.text))
    try await browser.wait(for: "document.getElementById('blame').innerText.includes('set by 4, for 1 min 15 s')")
    try await browser.value("release()")
    try await browser.wait(for: "methods.includes('DELETE')")
    try await settled()
    #expect(try await browser.text("#pointer") == "/animals/data/Dog/name")
    #expect(try await browser.text("#blame").contains("set by 4, for 1 min 15 s"))
    #expect(try await browser.value("methods.filter(method => method === 'POST').length") == 2)
    try await done(run)
  }

  // MARK: - Moves

  /// Records a generated history, and opens it.
  private func openWorkload(
    _ count: Int, of model: String = "counter", _ arguments: String..., size: (width: Int, height: Int) = (1_200, 800)
  ) async throws -> InspectorRun {
    var bench = Bench(tool: .withStories)
    bench.directory = directory.path
    let recorded = await bench.run("record", model, "my-log", "--workload", "\(count)")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let run = try await InspectorRun(directory.path("my-log"), arguments)
    try await browser.open(address: run.address, size: size)
    try await settled()
    return run
  }

  /// Counts the requests of the page by kind, and notes the statuses; those that `isHeld` names wait until `release()`.
  private func watchRequests(holding isHeld: String = "() => false") async throws {
    try await browser.value(
      """
      { globalThis.kinds = {}; globalThis.statuses = new Set(); globalThis.release = null;
        const usual = globalThis.fetch, isHeld = \(isHeld);
        const held = new Promise((done) => { globalThis.release = done; });
        globalThis.fetch = async (address, options) => {
          const kind = String(address).slice("/api/".length).replace(/[?/].*/, "");
          kinds[kind] = (kinds[kind] ?? 0) + 1;
          if (isHeld(kind, options)) await held;
          const answer = await usual(address, options);
          statuses.add(answer.status);
          return answer;
        };
      }
      """)
  }

  @Test func dragEndsAtItsLastRevision() async throws {
    let run = try await openWorkload(20_000, "--at", "1")
    try await watchRequests()
    // Sixty moves in about as many frames, and each is far from the one before.
    try await browser.value(
      """
      (async () => {
        const slider = document.getElementById("slider");
        for (let index = 0; index < 60; index++) {
          slider.value = index % 2 ? 19000 - index * 100 : 2000 + index * 100;
          slider.dispatchEvent(new Event("input"));
          slider.value = Number(slider.value) + 1;
          slider.dispatchEvent(new Event("input"));
          if (index % 4 === 0) await new Promise((done) => { requestAnimationFrame(done); });
        }
      })()
      """)
    try await browser.wait(for: "actionLog.revision() === 13101 && actionLog.isSettled()")
    #expect(try await browser.value("[...statuses]") == [200])
    // Two at most in each of the 15 frames, and one more of a state that had to be folded.
    let sent = try await browser.value("kinds.place").integer ?? 0
    #expect(sent > 0 && sent <= 64, "\(sent)")
    #expect(try await browser.text("#actions [aria-selected=true] .seq") == "13101")
    #expect(
      try await browser.text("#value")
        == (try await browser.value("document.querySelector('#state [aria-selected=true] .scalar').innerText").text))
    try await done(run)
  }

  @Test func selectionDoesNotWaitForTheState() async throws {
    let run = try await openWorkload(20_000, "--at", "5")
    try await watchRequests(holding: "(kind) => kind === 'jobs'")
    try await browser.value("void actionLog.go(15000)")
    // The list, the timeline, the fields and the action are at the target; the state says what it is of.
    try await browser.wait(for: "document.getElementById('folding').innerText !== ''")
    #expect(try await browser.text("#actions [aria-selected=true] .seq") == "15000")
    #expect(try await browser.value("document.getElementById('slider').value") == "15000")
    let shown = try await RunningProgram.run("action-log", "show", directory.path("my-log"), "15000", "--json").output
    let line = try #require(try JSONValue(parsing: shown.utf8)["time"]?.text?.dropFirst(11).prefix(12))
    #expect(try await browser.text("#action").contains(line))
    #expect(try await browser.text("#tree-place") == "at revision 5")
    #expect(try await browser.text("#folding") == "folding to revision 15\u{202F}000: 0 %")
    #expect(try await browser.value("actionLog.revision()") == 5)
    try await browser.wait(for: "getComputedStyle(document.getElementById('trees')).opacity < 1")
    try await browser.value("release()")
    try await browser.wait(for: "actionLog.revision() === 15000 && actionLog.isSettled()")
    #expect(try await browser.text("#tree-place") == "at revision 15\u{202F}000")
    #expect(try await browser.text("#folding").isEmpty)
    try await browser.wait(for: "getComputedStyle(document.getElementById('trees')).opacity === '1'")
    try await done(run)
  }

  @Test func containerOpensDuringADistantMove() async throws {
    let run = try await openWorkload(20_000, of: "animals", "--at", "5")
    let row = """
      [...document.querySelectorAll('#state [role=treeitem]')]
        .find((row) => row.querySelector('.name').innerText === 'categories')
      """
    // A click asks who set the value, so the requests are held only after the answer.
    try await browser.value("\(row).click()")
    try await settled()
    try await watchRequests(holding: "(kind) => kind === 'jobs'")
    let isOpen = "\(row).getAttribute('aria-expanded') === 'true'"
    #expect(try await browser.value(isOpen) == false)
    try await browser.value("void actionLog.go(15000)")
    try await browser.wait(for: "document.getElementById('folding').innerText !== ''")
    try await browser.value("\(row).querySelector('.twisty').click()")
    try await browser.value("release()")
    try await browser.wait(for: "actionLog.revision() === 15000 && actionLog.isSettled()")
    try await browser.wait(for: isOpen)
    try await done(run)
  }

  private static let selectedIsInView = """
    (() => { const row = document.querySelector('#actions [aria-selected=true]')?.getBoundingClientRect(),
    list = document.getElementById('actions').getBoundingClientRect();
    return row !== undefined && list.top <= row.top && row.bottom <= list.bottom + 1; })()
    """

  @Test(arguments: [(1_440, 900), (1_200, 800), (1_024, 700), (1_200, 611), (800, 450), (390, 844)])
  func selectedActionIsVisibleAtOpening(width: Int, height: Int) async throws {
    let run = try await openWorkload(1_000, size: (width, height))
    try await browser.wait(for: "document.querySelectorAll('#legend button').length > 0")
    try await browser.wait(for: Self.selectedIsInView)
    #expect(try await browser.text("#actions [aria-selected=true] .seq") == "1000")
    try await done(run)
  }

  /// A list that scrolls in proportion, because browsers limit the height of an element.
  @Test func selectedActionOfALongListIsVisible() async throws {
    let log = directory.path("my-log")
    let count = 340_000
    let drafts = Array(repeating: LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8)), count: 10_000)
    try await InspectorRun.write(log, model: "counter", Array(repeating: drafts, count: count / drafts.count))
    let run = try await InspectorRun(log)
    try await browser.open(address: run.address, size: (1_200, 800))
    // It need not wait until the state is folded.
    try await browser.wait(for: "document.querySelectorAll('#legend button').length > 0")
    try await browser.wait(for: Self.selectedIsInView)
    #expect(try await browser.text("#actions [aria-selected=true] .seq") == "\(count)")
    try await browser.quit()
    try await run.end()
  }

  // MARK: - Searches

  @Test func typedConditionDimsOldResults() async throws {
    let run = try await open(at: 12)
    try await browser.press("/")
    try await type("dog")
    try await browser.press("Enter")
    try await browser.wait(for: "document.getElementById('count').innerText.includes(' of ')")
    try await settled()
    let count = try await browser.text("#count")
    let isOld = "document.getElementById('actions').classList.contains('old')"
    #expect(try await browser.value(isOld) == false)
    // The first key of a condition.
    func typed(_ text: String) async throws {
      try await browser.value(
        """
        (() => { const field = document.getElementById('filter'); field.value = '\(text)';
        field.dispatchEvent(new Event('input')); })()
        """)
    }
    try await typed("/animals/data/Dog exists")
    #expect(try await browser.value(isOld) == true)
    #expect(try await browser.text("#count") == "Enter searches")
    // They are an answer to their own text.
    try await typed("dog")
    try await browser.wait(for: "!\(isOld) && document.getElementById('count').innerText === '\(count)'")
    // A wrong condition leaves them dimmed.
    try await typed("/animals/data/Dog ==")
    try await browser.value("document.querySelector('[data-search=filter]').click()")
    try await browser.wait(for: "!document.getElementById('answer').hidden && actionLog.isSettled()")
    #expect(try await browser.value(isOld) == true)
    #expect(try await browser.text("#count").isEmpty)
    try await typed("/animals/data/Dog exists")
    try await browser.value("document.querySelector('[data-search=filter]').click()")
    try await browser.wait(for: "document.getElementById('count').innerText.includes(' of ')")
    #expect(try await browser.value(isOld) == false)
    let complaints = await browser.complaints
    #expect(complaints.allSatisfy { complaint in complaint.contains("400") }, "\(complaints)")
    try await browser.quit()
    try await run.end()
  }

  @Test func resultsAreShownAsTheyAreFound() async throws {
    let run = try await open(at: 12)
    // The search does not end.
    try await browser.value(
      """
      { const usual = globalThis.fetch;
        globalThis.fetch = async (address, options) => {
          const answer = await usual(address, options);
          if (options.method !== "GET" || !address.startsWith("/api/jobs/")) return answer;
          return new Response((await answer.text()).replace('"status":"done"', '"status":"running"'));
        };
      }
      """)
    try await browser.press("/")
    try await type("dog")
    try await browser.press("Enter")
    try await browser.wait(for: "document.getElementById('count').innerText.endsWith(' so far')")
    let rows = "[...document.querySelectorAll('#actions .seq')].map(seq => Number(seq.innerText))"
    let listed = try await RunningProgram.run("action-log", "list", Self.animals, "--grep", "Dog", "--json").output
    let revisions = try listed.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8)["seq"] ?? .null }
    #expect(try await browser.value(rows) == .array(revisions))
    #expect(try await browser.text("#count") == "\(revisions.count) so far")
    // What was found stays, and is read without the search.
    try await browser.press("Escape")
    try await browser.wait(for: "document.getElementById('live').innerText === 'canceled' && actionLog.isSettled()")
    #expect(try await browser.value(rows) == .array(revisions))
    #expect(try await browser.text("#count") == "\(revisions.count) so far")
    try await browser.wait(for: "document.querySelectorAll('#actions .type strong').length === \(revisions.count)")
    try await done(run)
  }

  // MARK: - Live logs

  @Test func liveLogOpensAtItsEndAndFollows() async throws {
    let writer = try LogWriter.open(
      at: directory.path("my-log"), model: "counter", schema: 1, configuration: LogConfiguration(durability: .written))
    let draft = LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))
    func write(_ count: Int) async throws {
      try await BlockingWork.run { for _ in 0..<count { _ = try writer.writeNow([draft]) } }
    }
    try await write(40)
    let run = try await InspectorRun(directory.path("my-log"))
    // The log grows before the page is opened.
    try await write(50)
    try await browser.open(address: run.address)
    try await browser.wait(for: "globalThis.actionLog?.revision() === 90 && actionLog.isSettled()")
    let isFollowing = "document.getElementById('follow').getAttribute('aria-pressed')"
    #expect(try await browser.value(isFollowing) == "true")
    #expect(try await browser.value("location.hash") == "#follow")
    try await write(5)
    try await browser.wait(for: "actionLog.revision() === 95 && actionLog.isSettled()")
    #expect(try await browser.value("location.hash") == "#follow")
    // A link names the revision.
    #expect(try await browser.value("actionLog.link()").text == "\(run.origin)#at=95")
    // Another load goes on at the end, and one in the past stays there.
    try await write(5)
    try await reload()
    try await browser.wait(for: "actionLog.revision() === 100 && actionLog.isSettled()")
    #expect(try await browser.value(isFollowing) == "true")
    try await browser.press("ArrowLeft")
    try await browser.wait(for: "actionLog.revision() === 99 && location.hash === '#at=99'")
    try await write(5)
    try await reload()
    #expect(try await browser.value("actionLog.revision()") == 99)
    #expect(try await browser.value(isFollowing) == "false")
    try await done(run)
    try await BlockingWork.run { try writer.closeNow() }
  }

  @Test func followingTakesOneRequestForEachPoll() async throws {
    let writer = try LogWriter.open(
      at: directory.path("my-log"), model: "counter", schema: 1, configuration: LogConfiguration(durability: .written))
    let draft = LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))
    func write() async throws { try await BlockingWork.run { _ = try writer.writeNow([draft]) } }
    for _ in 0..<40 { try await write() }
    let run = try await InspectorRun(directory.path("my-log"))
    // The causes are out of view.
    try await browser.open(address: run.address, size: (1_200, 420))
    try await settled()
    try await browser.wait(for: "document.querySelectorAll('#legend button').length > 0")
    try await watchRequests()
    try await browser.value("void (globalThis.begun = performance.now())")
    for revision in 41...60 {
      try await write()
      try await browser.wait(for: "actionLog.revision() === \(revision) && actionLog.isSettled()")
      #expect(try await browser.text("#value") == "\(revision)")
      #expect(try await browser.text("#actions [aria-selected=true] .seq") == "\(revision)")
    }
    guard case .object(let kinds) = try await browser.value("kinds") else { return }
    let seconds = try await browser.value("Math.ceil((performance.now() - begun) / 1000)").integer ?? 0
    // The page asks for nothing but the news, and once a second for the timeline.
    #expect(Set(kinds.names).isSubset(of: ["follow", "density"]), "\(kinds)")
    #expect(kinds["density"]?.integer ?? 0 <= seconds + 1, "\(kinds) in \(seconds) s")
    #expect(kinds["follow"]?.integer ?? 0 <= 80, "\(kinds)")
    // The causes are read when they are seen.
    try await browser.value("document.getElementById('causes').scrollIntoView()")
    try await browser.wait(
      for: "kinds.causes === 1 && document.getElementById('causes').innerText.includes('names no cause')")
    try await done(run)
    try await BlockingWork.run { try writer.closeNow() }
  }

  @Test func goneServerIsReportedOnce() async throws {
    let run = try await open(at: 12)
    let state = try await browser.text("#state")
    try await run.end()
    let status = "document.getElementById('status').innerText"
    try await browser.wait(for: "\(status).startsWith('the server does not answer')")
    // The last state stays; a move fails without another message.
    try await browser.value("void actionLog.go(3)")
    try await browser.wait(for: "actionLog.isSettled()")
    #expect(try await browser.text("#state") == state)
    #expect(try await browser.text("#actions [aria-selected=true] .seq") == "12")
    #expect(try await browser.value("document.getElementById('answer').hidden") == true)
    #expect(try await browser.value("document.getElementById('entry').open") == false)
    // The next server at this port has the secret of the tab, as on a terminal.
    try await browser.value(
      "{ globalThis.usual = fetch; globalThis.fetch = () => Promise.reject(new TypeError('gone')); }")
    let next = try await InspectorRun(Self.animals, "--port", "\(run.port)")
    let token = try #require(next.address.split(separator: "#t=").last)
    try await browser.value("sessionStorage.setItem('action-log-token', '\(token)'); globalThis.fetch = usual; void 0")
    try await browser.wait(for: "\(status) === 'closed 23'")
    #expect(try await browser.value("document.getElementById('entry').open") == false)
    #expect(try await browser.value("actionLog.revision()") == 12)
    try await browser.press("ArrowRight")
    try await browser.wait(for: "actionLog.revision() === 13 && actionLog.isSettled()")
    try await browser.quit()
    try await next.end()
  }

  // MARK: - Types

  @Test func typesBeginWithTheirLastPart() async throws {
    var bench = Bench()
    bench.directory = directory.path
    let types = [
      "Shop.Checkout.Cart.Change<Shop.Catalog.Item<Kind.Book>>.inserted",
      "Shop.Checkout.Cart.Change<Shop.Catalog.Item>",
      "shop/cart/didRemoveItem", "plain",
    ]
    let writer = try LogWriter.open(
      at: directory.path("my-log"), model: "counter", schema: 1, configuration: LogConfiguration(durability: .written))
    for type in types { _ = try writer.writeNow([LogDraft(type: type, data: Array("{}".utf8))]) }
    try await BlockingWork.run { try writer.closeNow() }
    let run = try await open(directory.path("my-log"), at: 4, "--unknown-types", "keep")
    let wanted = [
      ("inserted", "Shop.Checkout.Cart.Change<Shop.Catalog.Item<Kind.Book>>"),
      ("Change<Shop.Catalog.Item>", "Shop.Checkout.Cart"), ("didRemoveItem", "shop/cart"), ("plain", ""),
    ]
    func expectTypes() async throws {
      #expect(try await texts("#actions .type strong") == wanted.map(\.0))
      #expect(try await texts("#actions .type .rest") == wanted.map(\.1).filter { rest in !rest.isEmpty })
      let weights =
        "[...document.querySelectorAll('#actions .type > *')].map(part => getComputedStyle(part).fontWeight)"
      #expect(try await browser.value(weights) == ["700", "400", "700", "400", "700", "400", "700"])
    }
    try await expectTypes()
    // Copied commands fold the log in the same way.
    #expect(
      try await browser.value("actionLog.command()").text
        == "action-log show \(directory.path("my-log")) 4 --unknown-types keep")
    try await done(run)
  }

  // MARK: - Timeline

  @Test func timelineIsUsedByKeys() async throws {
    let run = try await open(at: 5)
    try await browser.wait(for: "\(Self.caption) === 'Actions over time, revisions 1 to 23'")
    let rows = "document.querySelector('#actions [role=option]')?.getAttribute('aria-setsize')"
    try await browser.press("(")
    try await browser.wait(for: "\(rows) === '19'")
    #expect(try await browser.text("#range") == "5…23 ×")
    try await browser.press("ArrowRight", "ArrowRight")
    try await browser.wait(for: "actionLog.revision() === 7")
    try await settled()
    try await browser.press(")")
    try await browser.wait(for: "\(rows) === '3'")
    #expect(
      try await browser.value(Self.caption).text
        == "Actions over time, revisions 1 to 23; the range is revisions 5 to 7")
    #expect(try await browser.text("#live") == "the range is revisions 5 to 7")
    try await browser.press("+")
    try await browser.wait(for: "!\(Self.caption).includes('revisions 1 to 23')")
    let counts = "[...document.querySelectorAll('#density-rows td:nth-child(2)')].map(cell => parseInt(cell.innerText))"
    #expect(try await browser.value("\(counts).reduce((sum, count) => sum + count)") == 20)
    try await browser.press("-")
    try await browser.wait(for: "\(Self.caption).includes('revisions 1 to 23')")
    try await browser.press("Escape")
    try await browser.wait(for: "\(rows) === '24'")
    #expect(try await browser.value("document.getElementById('range').hidden") == true)
    #expect(try await browser.value(Self.caption).text == "Actions over time, revisions 1 to 23")
    try await done(run)
  }

  @Test func conditionIsTypedAndBisectedByKeys() async throws {
    let run = try await open(at: 23)
    try await browser.wait(for: "document.querySelectorAll('#density-rows tr').length > 0")
    let picture = "document.getElementById('density').toDataURL()"
    try await browser.value("void (globalThis.plain = \(picture))")
    try await browser.press("/")
    try await type(#"/animals/data/Dog/diet == "Omnivore""#)
    try await browser.press("Enter")
    try await browser.wait(for: "document.getElementById('count').innerText.includes(' of ')")
    try await settled()
    // The timeline shows where it holds, as the list does.
    let listed = try await browser.value("Number(document.querySelector('#actions .row').getAttribute('aria-setsize'))")
    #expect(listed.integer == 8)
    let holding = "[...document.querySelectorAll('#density-rows td:nth-child(3)')].map(cell => cell.innerText)"
    let counts = try await browser.value(holding).elements.compactMap { cell in
      cell.text.flatMap { text in Int(text.replacing("the condition holds at ", with: "")) }
    }
    #expect(counts.reduce(0, +) == listed.integer)
    #expect(try await browser.value("\(picture) === plain") == false)
    try await browser.press("B")
    try await browser.wait(for: "document.getElementById('answer').innerText.includes('--bisect')")
    #expect(try await browser.text("#answer").contains("holds at revision 12"))
    try await browser.wait(for: "actionLog.revision() === 12")
    try await settled()
    // Without the filter, the timeline is the former one.
    try await browser.press("Escape")
    try await browser.wait(for: "document.getElementById('count').innerText === ''")
    #expect(try await browser.value("\(holding).length") == 0)
    try await browser.value("actionLog.go(23)")
    try await browser.wait(for: "actionLog.revision() === 23 && actionLog.isSettled() && \(picture) === plain")
    try await done(run)
  }

  // MARK: - Dialogs

  @Test func testAndBugReportAreOffered() async throws {
    let run = try await open(at: 12)
    try await browser.press("y", "t")
    try await browser.wait(for: "document.getElementById('answer').innerText.includes('action-log test')")
    #expect(
      try await browser.text("#answer").contains("action-log test \(Self.animals) 0 12 --output ReplayTests.swift"))
    let answer = try await browser.text("#answer")
    #expect(answer.contains("The test expects the recorded state, so it passes with a bug in it"))
    #expect(try await browser.value("document.getElementById('copying').open") == false)
    let ends = "['from', 'to'].map(name => document.getElementById('reporting-' + name).value)"
    try await browser.press("y", "b")
    try await browser.wait(for: "document.getElementById('reporting').open")
    #expect(try await browser.value(ends) == ["1", "12"])
    // Since the compared state.
    try await browser.press("Escape", "c")
    try await browser.value("actionLog.go(15)")
    try await browser.wait(for: "actionLog.revision() === 15 && actionLog.isSettled()")
    try await browser.press("R")
    #expect(try await browser.value(ends) == ["13", "15"])
    try await browser.press("Escape", "T")
    try await browser.wait(for: "document.getElementById('answer').innerText.includes(' 12 15 --output')")
    try await done(run)
  }

  @Test func partsAndDialogsHaveRoles() async throws {
    let run = try await open(at: 12, "--allow-marks")
    try await browser.wait(for: "document.querySelectorAll('#density-rows tr').length > 0")
    let groups = try await names("group")
    for name in ["Timeline", "Types", "Causes and effects", "What if"] {
      #expect(groups.contains(name), "\(name): \(groups)")
    }
    #expect(try await names("table") == ["Actions over time, revisions 1 to 23"])
    #expect(try await names("region") == ["Actions", "State", "Details"])
    #expect(try await names("heading").contains("What action 12 changed"))
    #expect(try await names("image") == ["changed", "added", "removed"])
    #expect(try await names("separator") == ["Width of the actions", "Width of the state"])
    let dialogs = [
      ("?", "Keys"), ("y", "Copy"), ("m", "Mark revision 12"), ("R", "Bug report"), ("r", "Replace action 12"),
      ("i", "Insert an action after revision 12"),
    ]
    for (key, name) in dialogs {
      try await browser.press(key)
      try await browser.wait(for: "document.querySelector('dialog[open]') !== null")
      #expect(try await names("dialog") == [name])
      // Every button and field in it has a name.
      for role in ["button", "textbox", "spinbutton"] {
        #expect(try await names(role).allSatisfy { name in !name.isEmpty }, "\(name): \(role)")
      }
      try await browser.press("Escape")
      try await browser.wait(for: "document.querySelector('dialog[open]') === null")
    }
    try await done(run)
  }

  // MARK: - Keys

  /// What a key that several tables have does in all of them. A table that says something else is wrong.
  private static let meanings: [(keys: String, words: String)] = [
    ("← → p n", "one action.* back"), ("↑ ↓", "among the actions|next action or value"),
    ("Home End", "the first, the last"),
    ("g", "go to a "), ("/", "filter"), ("b j", "action that last changed the selected value"),
    ("h", "the actions that changed the selected value"), ("u U", "to a revision at which"),
    ("c", "compare with this state"),
    ("[ ]", "the previous, the next mark"), ("o", "show only what changed"), ("x r i", "^what if"),
    ("y", "copy the path of the selected value"), ("B", "^bisect: find the first revision"),
    ("T R", "write a test, a bug report"),
    ("f", "follow"), ("m", "mark this revision"), ("t", "time"), ("Tab", "the next "),
    ("( )", "the range of the timeline"), ("+ -", "zoom the timeline"),
    ("Esc", "cancel a|close this list"),
  ]

  @Test func keysMeanTheSameEverywhere() async throws {
    var bench = Bench()
    bench.directory = directory.path
    try await bench.recordAnimals()
    // The keys of `tui` on two screens: a column of 18 characters, and the meaning.
    var tables: [String: [(keys: [String], meaning: String)]] = [:]
    for keys in ["?", "?" + String(repeating: "\u{1B}[B", count: 6)] {
      let lines = try await bench.lastScreen([keys], columns: 260).split(separator: "\n").dropFirst(2)
      tables["tui", default: []] += lines.filter { line in line.dropFirst(16).hasPrefix("  ") && line.first != " " }.map
      { line in
        (line.prefix(18).split(separator: " ").map(String.init), String(line.dropFirst(18)))
      }
    }
    let report = await bench.run("report", "my-log", "--output", "page.html")
    try #require(report.status == 0, "\(report.messages)")
    let read = """
      [...document.querySelectorAll('#key-rows dt:not([data-absent])')].map(name => [[...name.querySelectorAll('kbd')].map(key => key.textContent),
        name.nextElementSibling.textContent])
      """
    func table() async throws -> [(keys: [String], meaning: String)] {
      try await browser.value(read).elements.map { row in
        (row.elements.first?.elements.compactMap(\.text) ?? [], row.elements.last?.text ?? "")
      }
    }
    try await browser.open(directory.path("page.html"))
    tables["report"] = try await table()
    let run = try await open(directory.path("my-log"), at: 5)
    tables["inspect"] = try await table()
    for (name, table) in tables {
      let keys = Set(table.flatMap(\.keys))
      #expect(keys.isSuperset(of: ["b", "j", "h", "c", "[", "]", "g", "/"]), "\(name): \(table)")
      if name != "report" {
        #expect(keys.isSuperset(of: ["B", "T", "R", "u", "U", "x", "r", "i", "f", "o", "t", "m"]), "\(name)")
      }
      if name == "inspect" { #expect(keys.isSuperset(of: ["M", "e", "y"])) }
      // A report has no keys for what only the service answers.
      if name == "report" {
        #expect(keys.isDisjoint(with: ["u", "U", "B", "M", "e", "T", "R", "x", "r", "i", "f", "m", "a"]))
      }
      // A page lists a key once.
      if name != "tui" { #expect(keys.count == table.flatMap(\.keys).count, "\(name): \(table)") }
    }
    let keys = Set(tables.values.joined().flatMap(\.keys))
    for key in keys {
      let found = tables.compactMap { name, table in
        table.first { row in row.keys.contains(key) }.map { row in (name: name, meaning: row.meaning) }
      }
      guard found.count > 1 else { continue }
      guard
        let words = Self.meanings.first(where: { keys, _ in keys.split(separator: " ").contains(Substring(key)) })?
          .words
      else {
        Issue.record("\(key) has no common meaning: \(found)")
        continue
      }
      for (name, meaning) in found {
        #expect(try Regex(words).firstMatch(in: meaning) != nil, "\(key) in \(name): \(meaning)")
      }
    }
    try await browser.quit()
    try await run.end()
  }
}
