import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

extension Bench {
  /// The screen of `tui` after the last line of keys, as text.
  func lastScreen(_ lines: [String], arguments: [String] = [], columns: Int = 120) async throws -> String {
    let run = await run(["tui", "my-log"] + arguments, input: lines.map { line in line + "\n" }) { environment in
      environment.variables["COLUMNS"] = "\(columns)"
    }
    try #require(run.status == 0, "\(run.messages)")
    // Each screen begins with the title.
    let last = try #require(
      run.output.range(of: "\n animals  my-log", options: .backwards)
        ?? run.output.range(of: "\n tally  my-log", options: .backwards) ?? run.output.range(of: " "))
    return String(run.output[last.lowerBound...])
  }
}

/// The screen of `tui` without a terminal: lines of keys in, text out.
@Suite("tui as text")
struct TUITextTests {
  /// The screen after the last line of keys.
  private func screen(_ bench: Bench, _ lines: String..., arguments: [String] = []) async throws -> String {
    try await bench.lastScreen(lines, arguments: arguments)
  }

  @Test(
    "keys walk forward and back, and stay within the log",
    arguments: [
      ("nnn", 3), ("nnp", 1), ("$", 23), ("$n", 23), ("n0p", 0), ("g7", 7), ("g-3", 20), ("g99", 0),
      ("g2026-11-21T09:00:10Z", 6), ("gwrong diet", 12), ("]", 12), ("$[", 12), ("x", 0),
    ])
  func walking(keys: String, revision: Int) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    _ = await bench.run("mark", "my-log", "12", "wrong diet")
    #expect(try await screen(bench, keys).contains("revision \(revision) of 23\n"))
  }

  @Test("a key that cannot be executed shows the reason and changes nothing")
  func refusals() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for (keys, message) in [
      ("p", "this is the start"), ("$n", "this is the end"), ("g99", "the log has revisions 0…23"),
      ("gsoon", "the name of a mark"), ("j", "b asks who changed the selected value"), ("szebra", "contains 'zebra'"),
      ("]", "the log has no marks"), ("/count(", "count("), ("/a == ", "a"), ("z", "? shows the keys"),
      ("x", "no action to switch off"),
    ] {
      let text = try await screen(bench, keys)
      // Long messages are wrapped.
      let line = text.split(separator: "\n").dropLast().suffix(2).joined(separator: " ")
      #expect(line.contains(message) || keys == "/count(", "\(keys): \(text)")
    }
  }

  @Test("words match case-insensitively, also outside ASCII")
  func unicodeWords() async throws {
    let bench = Bench(tool: .notebooks)
    let lines = [#"{"type":"insert","data":{"place":0,"text":"Crème BRÛLÉE"}}"# + "\n"]
    let run = await bench.run("record", "notebook", "my-log", input: lines)
    try #require(run.status == 0 && run.output.contains("\"seq\":1"), "\(run.messages)\(run.output)")
    for (words, count) in [("brûlée CRÈME", 1), ("cRÈME", 1), ("creme", 0), ("brûlé crème insert", 1)] {
      let shown = await bench.run("tui", "my-log", input: ["/\(words)\n"]).output
      #expect(shown.contains("Actions (\(count)) with "), "\(words): \(shown)")
    }
  }

  @Test(
    "actions recorded while the screen is open are listed", arguments: [(46, 60), (120, 140), (128, 129), (127, 128)])
  func grownLog(before: Int, after: Int) async throws {
    let bench = Bench()
    let writer = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
    let draft = LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))
    for _ in 0..<before { _ = try writer.writeNow([draft]) }
    // The log grows after the first screen, before the key.
    let input = StagedInput(["p\n", "G\n"]) { stage in
      guard stage == 1 else { return }
      for _ in before..<after { _ = try writer.writeNow([draft]) }
    }
    let run = await bench.run("tui", "my-log", "--at", "end") { environment in environment.standardInput = input }
    try writer.closeNow()
    let screens = run.output.components(separatedBy: "\n counter  my-log")
    let last = try #require(screens.last)
    #expect(screens.count == 3 && last.contains("revision \(after) of \(after)"), "\(run.output)")
    for revision in max(after - 5, 1)...after {
      #expect(last.contains("\(revision) didTapIncrementButton"), "\(last)")
    }
    #expect(!last.contains("the state before any action"), "\(last)")
  }

  @Test("each screen is printed before the next line of keys is read")
  func dialogue() async throws {
    let (bench, output, printed) = (Bench(), MemoryOutput(), Locked<[Int]>([]))
    try await bench.recordAnimals()
    let input = StagedInput(["n\n", "n\n"]) { _ in
      let count = output.text.components(separatedBy: " animals  my-log").count - 1
      printed.withLock { printed in printed.append(count) }
    }
    let run = await bench.run("tui", "my-log") { environment in
      (environment.standardInput, environment.standardOutput) = (input, output)
    }
    #expect(run.status == 0 && printed.withLock { printed in printed } == [1, 2, 3])
  }

  @Test("a wider screen shows no less than a narrower one: times")
  func times() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    var isShown: [Bool] = []
    for columns in [40, 44, 50, 63, 64, 80, 109, 110, 119, 120, 140, 200] {
      let run = await bench.run("tui", "my-log", "--at", "12") { environment in
        environment.variables["COLUMNS"] = String(columns)
      }
      isShown.append(run.output.contains("12 09:00:"))
    }
    #expect(isShown == isShown.sorted { left, right in !left && right }, "\(isShown)")
    #expect(isShown.last == true && isShown[10], "140 columns have room")
  }

  @Test("after a move, blame asks about the first changed value")
  func blameOfFirstChange() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let changes = await bench.run("diff", "my-log", "12", "--format", "json-patch").output
    try #require(changes.contains("/animals/data/Dog/diet"))
    #expect(try await screen(bench, "g12", "b").contains("Who changed /animals/data/Dog/diet?"))
    // A value that the user selected stays selected.
    #expect(try await screen(bench, "g15", "somnivore", "g12", "b").contains("Who changed /animals/data/Dog/diet?"))
    let other = try await screen(bench, "g4", "sBird", "g12", "b")
    #expect(other.contains("/animals/data/Sparrow/categoryId?"), "\(other)")
  }

  @Test("search selects a value, blame agrees with the command, and j moves to the action")
  func blame() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let answer = await bench.run("blame", "my-log", "/animals/data/Dog/diet", "--at", "15", "--json").output
    let revision = try JSONValue(parsing: Array(answer.utf8))["change", "seq"]?.integer
    #expect(revision == 12)
    let asked = try await screen(bench, "g15", "somnivore", "b")
    #expect(asked.contains("Who changed /animals/data/Dog/diet?"), "\(asked)")
    #expect(asked.contains("action 12"), "\(asked)")
    #expect(asked.contains("− \"Carnivore\"") && asked.contains("+ \"Omnivore\""))
    #expect(try await screen(bench, "g15", "somnivore", "b", "j").contains("revision 12 of 23"))
  }

  @Test(
    "filters agree with the commands",
    arguments: [
      ("dog", ["list", "--grep", "Dog"]), ("/animals/data/Dog/diet", ["list", "--touching", "/animals/data/Dog/diet"]),
      ("/animals/data/Dog/diet == \"Omnivore\"", ["list", "--where", "/animals/data/Dog/diet == \"Omnivore\""]),
      ("type like \"*Editor*\"", ["list", "--where", "type like \"*Editor*\""]),
      ("zebra", ["list", "--grep", "zebra"]),
      ("/animals/data/Dog/diet changed", ["list", "--where", "/animals/data/Dog/diet changed"]),
      ("'/animals/data/Dog/diet' changed", ["list", "--where", "/animals/data/Dog/diet changed"]),
      ("not /animals/data/Dog exists", ["list", "--where", "not /animals/data/Dog exists"]),
      ("(/animals/data/Dog/diet changed)", ["list", "--where", "(/animals/data/Dog/diet changed)"]),
      ("data/id exists", ["list", "--where", "data/id exists"]),
      (
        "/animals/data/Dog changed or /categories changed",
        ["list", "--where", "/animals/data/Dog changed or /categories changed"]
      ),
    ])
  func filter(text: String, command: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let listed = await bench.run([command[0], "my-log"] + command.dropFirst() + ["--json"]).output
    let seqs = try listed.split(separator: "\n").map { line in
      try #require(try JSONValue(parsing: Array(line.utf8))["seq"]?.integer)
    }
    let shown = try await screen(bench, "/" + text)
    #expect(shown.contains("Actions (\(seqs.count)) with "), "\(shown)")
    let numbers = shown.split(separator: "\n").dropFirst(3).compactMap { line in
      line.prefix(3).allSatisfy { character in "› 0123456789".contains(character) }
        ? Int(line.dropFirst().prefix(2).trimmingCharacters(in: .whitespaces)) : nil
    }
    #expect(numbers == seqs, "\(shown)")
  }

  @Test(
    "until, back until and bisect agree with the commands",
    arguments: [
      ("u", "/animals/data/Dog/diet == \"Omnivore\"", ["find"]),
      ("g15", "type like \"*Delete*\"", ["find", "--from", "16"]),
      ("$", "/animals/data/Dog/diet changed", ["find", "--last"]),
      ("g12", "/animals/data/Dog/diet == \"Carnivore\"", ["find", "--last", "--to", "11"]),
      ("0", "count(/animals/data) > 6", ["find", "--bisect"]),
      ("g9", "not /animals/data/Dog exists", ["find", "--bisect"]),
    ])
  func conditions(keys: String, condition: String, command: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let told = await bench.run([command[0], "my-log", condition] + command.dropFirst() + ["--json"]).output
    let revision = try #require(try JSONValue(parsing: Array(told.utf8))["revision"]?.integer)
    let key = command.contains("--last") ? "U" : command.contains("--bisect") ? "B" : "u"
    let shown = try await bench.lastScreen(keys == "u" ? [key + condition] : [keys, key + condition])
    #expect(shown.contains("revision \(revision) of 23\n"), "\(shown)")
    #expect(shown.contains("\(condition) holds"))
  }

  /// The key that opens the prompt is a slash, so the slash of a pointer is easily forgotten.
  @Test(arguments: [
    ("animals/data/Dog/diet changed", "; a condition begins with '/'"),
    ("animals/data/Dog/diet = 3", "; a condition begins with '/' and compares with '=='"),
    ("animals/data/Dog/diet", "; a path begins with '/'"),
  ])
  func filterWithoutItsSlashIsExplained(text: String, advice: String) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let shown = try await screen(bench, "/" + text)
    #expect(shown.contains("no action contains '\(text)'\(advice)"), "\(shown)")
    #expect(try await !screen(bench, "//" + text).contains("begins with '/'"))
    for words in ["zebra", "dog"] { #expect(try await !screen(bench, "/" + words).contains("begins with '/'")) }
  }

  @Test("an error in a condition is marked and can be corrected")
  func faults() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    for (key, label) in [("u", "forward until: "), ("U", "back until: "), ("B", "bisect: "), ("/", "filter: ")] {
      let text = try await screen(bench, key + "/animals == and")
      let lines = text.split(separator: "\n").map(String.init)
      let place = try #require(lines.firstIndex { line in line.hasPrefix(label + "/animals == and") }, "\(text)")
      let column = try #require(lines[place + 1].firstIndex(of: "^"), "\(text)")
      #expect(lines[place + 1].distance(from: lines[place + 1].startIndex, to: column) == label.count + 12)
      #expect(lines[place + 1].count > label.count + 16, "the error is described: \(text)")
    }
    // Enter repeats the last condition.
    #expect(try await screen(bench, "useq >= 5", "u").contains("revision 6 of 23"))
    #expect(try await screen(bench, "utype == 1").contains("type == 1 holds nowhere after revision 0"))
    #expect(try await screen(bench, "Bseq == 1").contains("a bisection needs a condition on the state alone"))
    #expect(try await screen(bench, "g12", "m42").contains("it already means another point"))
  }

  @Test("the history of a value agrees with the command, and keys move between changes")
  func valueHistory() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let listed = await bench.run("history", "my-log", "/animals/data/Dog/diet", "--json").output
    let changes = try listed.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
    let seqs = try changes.map { change in try #require(change["seq"]?.integer) }
    try #require(seqs.count > 1)
    let shown = try await screen(bench, "g15", "somnivore", "h")
    #expect(shown.contains("━ Changes (\(seqs.count)) of ") && shown.contains("/data/Dog/diet "), "\(shown)")
    for (revision, change) in zip(seqs, changes) {
      let values = "\(change["old"]?.description ?? "nothing") → \(change["new"]?.description ?? "nothing")"
      #expect(shown.split(separator: "\n").contains { line in line.contains("\(revision) ") && line.contains(values) })
    }
  }

  @Test("marks agree with the command and are listed, and errors are shown")
  func marking() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let shown = try await screen(bench, "g12", "mwrong diet", "the dog\u{2019}s")
    #expect(shown.contains("⚑ wrong diet: the dog\u{2019}s"), "\(shown)")
    #expect(shown.contains("marked revision 12 as wrong diet"))
    let marks = await bench.run("mark", "my-log", "--json").output
    let mark = try JSONValue(parsing: Array(marks.split(separator: "\n")[0].utf8))
    #expect(mark["name"] == "wrong diet" && mark["seq"]?.integer == 12 && mark["remark"] == "the dog\u{2019}s")
    #expect(await bench.run("verify", "my-log").status == 0)
    let again = try await screen(bench, "g3", "mwrong diet", "")
    #expect(again.contains("there already is a mark 'wrong diet', at revision 12"), "\(again)")
    #expect(try await screen(bench, "g3", "mhere", "").contains("marked revision 3 as here"))
    #expect(try await screen(bench, "]", "]").contains("revision 12 of 23"))
    #expect(try await screen(bench, "gwrong diet").contains("revision 12 of 23"))
  }

  @Test("the initial revision must be in the log")
  func outside() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run("tui", "my-log", "--at", "99")
    #expect(run.status == 2 && run.messages.contains("The log holds the revisions 0…23."), "\(run.messages)")
  }

  @Test("help lists the keys, and any key closes it")
  func help() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let help = try await screen(bench, "?")
    for word in ["filter", "blame", "compare", "mark", "quit"] { #expect(help.contains(word), "\(word)") }
    #expect(try await screen(bench, "?n").contains("revision 0 of 23"))
    #expect(try await screen(bench, "?xn").contains("revision 1 of 23"))
  }

  @Test("a comparison shows the differences from its base")
  func comparing() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = try await screen(bench, "g11", "c", "g14")
    #expect(text.contains("From revision 11 to 14"))
    #expect(text.contains("~ /animals/data/Dog/diet"))
    #expect(try await screen(bench, "g11", "c", "g14", "c").contains("What action 14 changed"))
  }

  /// A state that shares nothing, so a comparison encodes both states completely.
  private enum Tally: Model {
    struct State: Codable, Equatable, Sendable {
      var counts: [String: Int] = [:]

      init() {}
      init(from decoder: any Decoder) throws {
        counts = try decoder.singleValueContainer().decode([String: Int].self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(counts)
      }
    }

    enum Action: Codable, Equatable, Sendable { case count(String) }

    static let name = "tally"
    static let schema = 1
    static let initialState = State()

    static func reduce(into state: inout State, action: Action) {
      if case .count(let name) = action { state.counts[name, default: 0] += 1 }
    }
  }

  @Test("the changes since a distant base are those of the command")
  func distantBase() async throws {
    let bench = Bench(
      tool: ActionLogTool(models: [
        .model(Tally.self) { _, count in (0..<count).map { number in .count("\(number % 97)") } }
      ]))
    try #require(await bench.run("record", "tally", "my-log", "--workload", "3000").status == 0)
    let screen = try await bench.lastScreen(["g100", "c", "g2900", "nnnpp"], arguments: [])
    #expect(screen.contains("From revision 100 to 2901"))
    #expect(screen.contains("│ ~ /1\n") && !screen.contains("~ /96\n"), "\(screen)")
    // Lines that nobody sees are not made, and yet the pane goes to its end.
    let end = try await bench.lastScreen(["g100", "c", "g2900", "\t\t\u{1B}[F"], arguments: [])
    #expect(end.contains("~ /96\n") && !end.contains("│ ~ /1\n"), "\(end)")
    let up = try await bench.lastScreen(["g100", "c", "g2900", "\t\t\u{1B}[F\u{1B}[H"], arguments: [])
    #expect(up.contains("│ ~ /1\n") && !up.contains("~ /96\n"), "\(up)")
  }

  @Test("the intact part of a damaged log can be inspected")
  func damaged() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let segment = try bench.disk.open(Bench.segment, for: .overwrite)
    try Array("x".utf8).withUnsafeBytes { bytes in try segment.write(bytes, at: try segment.size() * 3 / 4) }
    #expect(try await screen(bench).contains("the log can be read only up to revision"))
    let text = try await screen(bench, "$", "n")
    #expect(!text.contains("of 23"))
    #expect(text.contains("this is the end"))
  }

  @Test("an empty log has only revision 0")
  func empty() async throws {
    let bench = Bench()
    _ = await bench.run("record", "animals", "my-log")
    let text = try await screen(bench, "n")
    #expect(text.contains("revision 0 of 0"))
    #expect(text.contains("this is the end"))
    #expect(try await screen(bench, "/x").contains("none"))
  }

  @Test("T and R write what the commands write, to a new file only")
  func files() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let written = try await screen(bench, "g12", "TWritten.swift")
    #expect(written.contains("Written.swift: a test of 12 actions to revision 12"), "\(written)")
    let test = await bench.run("test", "my-log", "start", "12").output
    let file = try bench.disk.contents(of: "Written.swift", limitBytes: 1 << 20)
    #expect(String(decoding: file, as: UTF8.self) == test && test.contains("@Test"))
    #expect(try await screen(bench, "g3", "TWritten.swift").contains("the path already exists"))
    #expect(try bench.disk.contents(of: "Written.swift", limitBytes: 1 << 20) == file)
    // From the base of the comparison; without a name under a default one.
    let report = try await screen(bench, "g9", "c", "g12", "R")
    #expect(report.contains("revision-12.jsonl: a bug report of 3 actions to revision 12"), "\(report)")
    #expect(await bench.run("verify", "revision-12.jsonl").status == 0)
  }

  @Test("o leaves only what changed, and t shows times")
  func onlyChangesAndTimes() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let all = try await screen(bench, "g12")
    #expect(all.contains("▸ Cat"), "\(all)")
    let changed = try await screen(bench, "g12", "o")
    #expect(
      changed.contains("State, only changes") && changed.contains("~ diet") && !changed.contains("Cat {"), "\(changed)")
    #expect(try await screen(bench, "g12", "oo").contains("▸ Cat"))
    // A search for a value that is not shown shows everything again.
    #expect(try await screen(bench, "g12", "o", "sSparrow").contains("▸ Cat"))
    #expect(try await !screen(bench, "t").contains(" 3 09:00:"))
    #expect(try await screen(bench, "tt").contains(" 3 09:00:"))
  }

  @Test("words filter while they are typed, and Escape returns to the former filter")
  func typing() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let dogs = try await screen(bench, "/dog")
    for keys in ["/cat\u{1B}", "/cat\u{7F}\u{7F}\u{7F}\u{1B}", "/count(/a) >\u{1B}"] {
      #expect(try await screen(bench, "/dog", keys) == dogs, "\(keys)")
    }
    #expect(try await !screen(bench, "/cat\u{1B}").contains(" with "))
  }

  @Test("long types keep their last part")
  func types() async throws {
    let bench = Bench()
    let writer = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(durability: .written, environment: bench.logEnvironment))
    for type in [
      "Shop.Checkout.Cart.Change<Shop.Catalog.Item<Kind.Book>>.inserted",
      "Shop.Checkout.Cart.Change<Shop.Catalog.Item>",
      "shop/checkout/cart/aVeryLongPathOfTypes/didRemoveItem",
    ] {
      _ = try writer.writeNow([LogDraft(type: type, data: Array("{}".utf8))])
    }
    try writer.closeNow()
    let run = await bench.run("tui", "my-log", "--unknown-types", "keep", input: []) { environment in
      environment.variables["COLUMNS"] = "64"
    }
    for leaf in ["…inserted", "…Change<…>", "…didRemoveItem"] {
      #expect(run.output.contains(leaf), "\(leaf): \(run.output)\(run.messages)")
    }
  }

  @Test("a screen is not available as JSON")
  func json() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    #expect(await bench.run("tui", "my-log", "--json").status == 2)
  }

  @Test("the cost of a key does not depend on the length of the log")
  func work() async throws {
    var reads: [Int] = []
    for (count, middle) in [(2_000, 1_000), (100_000, 50_000)] {
      let bench = Bench()
      let recorded = await bench.run(
        "record", "counter", "my-log", "--workload", "\(count)", "--snapshot-every", "1000")
      try #require(recorded.status == 0, "\(recorded.messages)")
      func work(_ keys: String) async -> Int {
        let disk = FaultyFileSystem(bench.disk)
        let run = await bench.run("tui", "my-log", "--at", "\(middle)", input: [keys + "\n"]) { environment in
          environment.fileSystem = disk
        }
        #expect(run.output.contains("revision \(middle) of"))
        return disk.calls.count { call in call.operation == .read }
      }
      // Fifty steps, some of them backward.
      reads.append(await work(String(repeating: "nnnnp", count: 10)) - (await work("")))
    }
    #expect(reads[0] > 0)
    #expect(reads[1] <= 2 * reads[0] + 20, "\(reads)")
  }
}

/// Input with predefined chunks, and a function that runs before each.
private final class StagedInput: ToolInput {
  private let chunks: Locked<[String]>
  private let count: Int
  private let prepare: @Sendable (Int) throws -> Void

  /// - Parameter prepare: Runs before a chunk is read, with its number from 0.
  init(_ chunks: [String], prepare: @escaping @Sendable (Int) throws -> Void) {
    self.chunks = Locked(chunks)
    count = chunks.count
    self.prepare = prepare
  }

  func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
    let (number, chunk) = chunks.withLock { chunks in
      (count - chunks.count, chunks.isEmpty ? "" : chunks.removeFirst())
    }
    do { try prepare(number) } catch { Issue.record(error) }
    return Array(chunk.utf8)
  }
}
