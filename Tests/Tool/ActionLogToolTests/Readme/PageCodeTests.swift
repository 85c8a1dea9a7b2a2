#if os(macOS) || os(Linux)
// Only the code of a page imports it.
import DebugDrawer
import Foundation
import TestSupport
import Testing

/// All code of the documentation is compiled.
///
/// A block is the code between marks of a test, which runs it, or it is type-checked here, with the declarations of ``Preludes``.
@Suite("The code of the pages") struct PageCodeTests {
  /// The imports of each page's code.
  private static let modules = [
    "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "ActionLogTool", "AnimalsData", "AsyncSequenceTestUtils",
    "CounterData", "DebugDrawer", "EventSourcing", "FoodTruckData", "Foundation", "HTTPServer", "ImmutableData",
    "ImmutableUI", "Interchange", "JSONCoding", "TerminalUI", "TimeTravel", "TreeCollections",
  ]

  /// A block of Swift on a page.
  private struct Block {
    var code: String
    var page: String
    var line: Int

    /// The first line that is neither empty, nor a comment, nor an import.
    var firstLine: Substring {
      code.split(separator: "\n").first { line in !line.hasPrefix("//") && !line.hasPrefix("import ") } ?? ""
    }

    /// The code without imports, at its position on the page. An expression is assigned to nothing.
    var located: String {
      let start = firstLine.contains(#/^[A-Z]/#) ? "_ = " : ""
      let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in line.contains(#/^(public )?import /#) ? "" : line.replacing("#expect(", with: "expect(") }
      let text = start + lines.joined(separator: "\n")
      return "#sourceLocation(file: \"\(page)\", line: \(line))\n\(text)\n#sourceLocation()"
    }

    var isManifest: Bool { code.hasPrefix("// Package.swift\n") }

    /// Whether functions cannot contain it.
    var isFile: Bool { code.contains(#/(?m)^(public|extension) /#) }

    /// The code as the content of a function.
    var statements: String {
      if firstLine.hasPrefix("static ") { return "enum Members {\n\(located)\n}" }
      let names = code.matches(of: #/(?m)^(?:let|var) (\w+) =/#).map { match in "_ = \(match.1)" }
      return ([located] + names).joined(separator: "\n")
    }
  }

  /// The blocks of a page, from the top.
  private static func blocks(of page: String) throws -> [Block] {
    let text = try String(contentsOf: PackageFolder.root.appending(path: page), encoding: .utf8)
    var blocks: [Block] = []
    var open: Block?
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line == "```swift" {
        open = Block(code: "", page: page, line: index + 2)
      } else if let block = open, line == "```" {
        blocks.append(block)
        open = nil
      } else if let block = open {
        open?.code = block.code.isEmpty ? line : "\(block.code)\n\(line)"
      }
    }
    return blocks
  }

  private static func files(in folder: String, where isIncluded: (String) -> Bool) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: PackageFolder.root.appending(path: folder).path)
      .filter(isIncluded).sorted().map { path in "\(folder)/\(path)" }
  }

  private static func pages() throws -> [String] {
    try files(in: "Sources") { path in path.contains(".docc/") && path.hasSuffix(".md") }
  }

  /// The code between marks in the sources of tests, by name and file.
  private static func codeOfTests() throws -> [String: String] {
    var codes: [String: String] = [:]
    for file in try files(in: "Tests", where: { path in path.hasSuffix(".swift") }) {
      let source = try String(contentsOf: PackageFolder.root.appending(path: file), encoding: .utf8)
      guard source.contains("// begin: ") else { continue }
      let lines = source.components(separatedBy: "\n")
      for (index, line) in lines.enumerated() {
        guard let mark = line.wholeMatch(of: #/( *)// begin: (\w+)/#) else { continue }
        let end = try #require(lines[index...].firstIndex(of: "\(mark.1)// end: \(mark.2)"), "\(file): \(mark.2)")
        let code = lines[index + 1..<end].map { line in line.dropFirst(mark.1.count) }
        codes["\(mark.2) in \(file)"] = code.joined(separator: "\n")
      }
    }
    return codes
  }

  @Test func testedCodeIsOnAPage() throws {
    let shown = Set(try (Self.pages() + ["README.md"]).flatMap(Self.blocks(of:)).map(\.code))
    let codes = try Self.codeOfTests()
    #expect(codes.count >= 24)
    for (name, code) in codes { #expect(shown.contains(code), "no page shows the code \(name)") }
  }

  @Test(.enabled(if: Toolchain.compiler != nil, "swiftc is not where commands are looked for"))
  func otherCodeCompiles() async throws {
    let directory = try TemporaryDirectory()
    let tested = Set(try Self.codeOfTests().values)
    var sources = ["Common.swift": Self.modules.map { "import \($0)\n" }.joined() + Preludes.common]
    for page in try Self.pages() {
      let blocks = try Self.blocks(of: page).filter { block in !tested.contains(block.code) }
      guard !blocks.isEmpty else { continue }
      let name = page.split(separator: "/").suffix(1).joined().replacing(".md", with: "")
      sources["\(name).swift"] = Self.source(of: blocks.filter { block in !block.isManifest }, named: name)
      for block in blocks where block.isManifest {
        sources["\(name)Manifest.swift"] =
          "import PackageDescription\n\nprivate func part() -> Target {\n\(block.located)\n}\n"
      }
    }
    #expect(sources.count >= 18)
    let files = try sources.map { name, source in
      let file = URL(filePath: directory.path(name))
      try Data(source.utf8).write(to: file)
      return file
    }
    try await Toolchain(directory: directory.path, packageName: "pages").check(
      files: files.sorted { first, second in first.path < second.path }, builtIn: Executable.directory)
  }

  /// The source file of a page: each block sees the blocks before it.
  private static func source(of blocks: [Block], named name: String) -> String {
    let imports = modules.filter { module in
      !blocks.contains { block in block.code.contains("public import \(module)") }
    }
    .map { module in "import \(module)" }
    let publicImports = blocks.flatMap { block in
      block.code.matches(of: #/(?m)^public import \w+$/#).map { match in String(match.0) }
    }
    let declarations = blocks.filter(\.isFile).map(\.located)
    let scopes = blocks.filter { block in !block.isFile }.map(\.statements)
    let body = ([Preludes.pages[name] ?? ""] + scopes).joined(separator: "\ndo {\n")
    let function = """
      @MainActor private func page() async throws {
      \(body)
      \(String(repeating: "}\n", count: scopes.count))}
      """
    return (imports + publicImports + declarations + [function]).joined(separator: "\n") + "\n"
  }
}

/// What the code of the pages takes as given.
private enum Preludes {
  /// For all pages.
  static let common = """

    func given<Value>() -> Value { fatalError("compiled only") }
    func show(_ value: some Any) {}
    func expect(_ condition: Bool) {}
    func settle(until condition: () -> Bool) async -> Bool { condition() }

    struct Order: Codable, Equatable, Sendable { var price = 0 }

    enum Shop: Model {
      struct State: Codable, Equatable, Sendable { var total = 0 }
      enum Action: Codable, Equatable, Sendable { case placed(Order) }
      static let name = "shop"
      static let schema = 1
      static let initialState = State()
      static func reduce(into state: inout State, action: Action) {}
    }

    enum SalesPerDay: Projection {
      typealias Source = Shop
      struct State: Codable, Equatable, Sendable { var orders: [String: Int] = [:] }
      static let name = "sales-per-day"
      static let version = 1
      static let initialState = State()
      static func apply(_ recorded: ProjectedAction<Shop.Action>, to state: inout State) {}
    }

    @MainActor let path: String = given()
    @MainActor let order: Order = given()
    @MainActor let recorder: Recorder<Shop> = given()
    @MainActor let store: RecordingStore<Shop> = given()
    @MainActor let shops: LogSet<Shop> = given()

    """

  /// For some pages, by their names.
  static let pages = [
    "ActionLogTool": "typealias Todo = Shop",
    "AsyncSequenceTestUtils": """
    final class Numbers { var sum = 0; func add(_ number: Int) { sum += number } }
    let model = Numbers()
    """,
    "ChangingTheReducer": "enum SourceFingerprint { static let value: String? = nil }",
    "DebugDrawer": """
    let store: TimeTravelStore<Shop> = given()
    let screen: any TerminalScreen = given()
    """,
    "EventSourcing": """
    struct CounterState: Codable, Equatable, Sendable { var value = 0 }
    enum CounterAction: Codable, Equatable, Sendable { case didTapIncrementButton, didTapDecrementButton }
    """,
    "Errors": """
    enum alert { static func show(title: String, text: String? = nil) {} }
    enum telemetry { static func count(_ name: String) {} }
    struct ShopError: Error {}
    func askToFreeSpace(_ error: LogError) {}
    func explain(_ error: ShopError) {}
    """,
    "Interchange": """
    let reader: LogReader = given()
    var bytes: [UInt8] = []
    """,
    "ManyLogs": """
    enum mail { static func send(_ order: Order, to customer: String, idempotencyKey: String) async throws {} }
    struct Transaction {
      func add(_ actions: [Shop.Action], of customer: String) throws {}
      func setPosition(_ position: SubscriptionPosition, of customer: String) throws {}
    }
    enum database {
      static func position(of customer: String) async throws -> SubscriptionPosition? { nil }
      static func transaction(_ body: (Transaction) throws -> Void) async throws {}
    }
    """,
    "ObservingLogs": "let observer: any LogObserver = given()",
    "Projections": """
    enum StockByItem: Projection {
      typealias Source = Shop
      static let name = "stock-by-item"
      static let version = 1
      static let initialState = 0
      static func apply(_ recorded: ProjectedAction<Shop.Action>, to state: inout Int) {}
    }
    """,
    "TerminalUI": "let store: Store<CounterState, CounterAction> = given()",
    "ThePastInsideARunningApp": """
    let arguments = CommandLine.arguments
    let store: TimeTravelStore<Shop> = given()
    """,
  ]
}
#endif
