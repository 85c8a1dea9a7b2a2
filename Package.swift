// swift-tools-version: 6.2

import PackageDescription

/// The settings of every target. Packages that depend on the path of this one build it with them, and maybe with a newer compiler, so only
/// the scripts in `.ci` make warnings errors.
let settings: [SwiftSetting] =
  ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map { name in .enableUpcomingFeature(name) }
  + (Context.environment["ACTIONLOG_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

/// Tests are compiled fast: without what a debugger reads, and with an index that lacks the system's modules. No product contains them, so
/// other packages can use this one.
let unoptimized = [
  "-Onone", "-gnone", "-no-whole-module-optimization", "-enable-batch-mode", "-index-ignore-system-modules",
]

// Targets are named for the last component of their paths: libraries and programs below `Sources`, tests below `Tests`.
func module(
  _ path: String, name: String? = nil, in root: String = "Sources", _ dependencies: Target.Dependency...,
  resources: [Resource]? = nil, plugins: [Target.PluginUsage]? = nil
) -> Target {
  .target(
    name: name ?? lastComponent(path), dependencies: dependencies, path: "\(root)/\(path)", resources: resources,
    swiftSettings: settings, plugins: plugins)
}

func program(
  _ path: String, name: String? = nil, in root: String = "Sources", _ dependencies: Target.Dependency...
) -> Target {
  .executableTarget(
    name: name ?? lastComponent(path), dependencies: dependencies, path: "\(root)/\(path)", swiftSettings: settings)
}

func tests(
  _ path: String, name: String? = nil, _ dependencies: Target.Dependency..., exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .testTarget(
    name: name ?? lastComponent(path), dependencies: dependencies, path: "Tests/\(path)", exclude: exclude,
    resources: resources, swiftSettings: settings + [.unsafeFlags(unoptimized, .when(configuration: .release))])
}

func lastComponent(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

/// Files that are embedded in the code.
func page(_ folder: String, _ files: String) -> [Resource] {
  files.split(separator: " ").map { file in .embedInCode("\(folder)/\(file)") }
}
let pages =
  page("Inspector/Page", "page.html page.css values.js rows.js chunks.js source.js offline.js parts.js model.js")
  + page("Inspector/Page", "tree.js moves.js details.js questions.js whatif.js controls.js timeline.js begin.js")

/// The modules that other packages can use, each a library of its name.
let libraries = [
  "ImmutableData", "ImmutableUI", "TreeCollections", "JSONCoding", "ActionLog", "EventSourcing",
  "ActionLogMaintenance", "TimeTravel", "Interchange", "ActionLogTesting", "AsyncSequenceTestUtils", "ActionLogTool",
  "TerminalUI", "HTTPServer",
  "DebugDrawer",
]

let package = Package(
  name: "ActionLog",
  platforms: [.iOS(.v17), .macCatalyst(.v17), .macOS(.v14), .tvOS(.v17), .visionOS(.v1), .watchOS(.v10)],
  products: libraries.map { name in .library(name: name, targets: [name]) } + [
    .executable(name: "action-log", targets: ["action-log"])
  ] + ["GenerateDirectCoding", "SourceFingerprint"].map { name in .plugin(name: name, targets: [name]) },
  targets: [
    // MARK: System: what Swift cannot reach, and what every layer needs
    // C functions: file locks, page cache advice, CRC and SHA instructions, terminal modes.
    .target(name: "CSystem", path: "Sources/System/CSystem"),
    module("System/Platform", "CSystem"),

    // MARK: Engine: store, log, replay, time travel
    module("Engine/ImmutableData", "Platform"),
    module("Engine/ImmutableUI", "ImmutableData"),
    module("Engine/TreeCollections"),
    module("Engine/JSONCoding"),
    module("Engine/ActionLog", "CSystem", "JSONCoding", "Platform"),
    // File systems for tests and previews: in memory, with power cuts, with calls that fail.
    module("Engine/ActionLogTesting", "ActionLog", "Platform"),
    module("Engine/EventSourcing", "ActionLog", "ImmutableData", "JSONCoding", "Platform", "TreeCollections"),
    // What is done to logs: verification, repair, copies, redaction, pruning, proofs. Applications that only record do not need it.
    module("Engine/ActionLogMaintenance", "ActionLog", "EventSourcing", "JSONCoding", "Platform"),
    module(
      "Engine/TimeTravel", "ActionLog", "ActionLogMaintenance", "EventSourcing", "ImmutableData", "JSONCoding",
      "Platform", "TreeCollections"),
    // Other programs' formats: CloudEvents, Redux DevTools, CSV.
    module("Engine/Interchange", "ActionLog", "ActionLogMaintenance", "JSONCoding"),
    // For test targets only.
    module("Engine/AsyncSequenceTestUtils", "Platform"),

    // MARK: Tool: the command line, screens in a terminal, a server for loopback
    module("Tool/TerminalUI", "ActionLog", "CSystem", "Platform"),
    module("Tool/HTTPServer", "ActionLog", "Platform"),
    module(
      "Tool/DebugDrawer", "ActionLog", "EventSourcing", "ImmutableUI", "JSONCoding", "TerminalUI", "TimeTravel"),
    module(
      "Tool/ActionLogTool", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "CSystem", "EventSourcing",
      "HTTPServer", "ImmutableData", "Interchange", "JSONCoding", "Platform", "TerminalUI", "TimeTravel",
      resources: pages),

    // MARK: Samples: the four applications of the ImmutableData guide
    // The samples' stores without a file hold their log in memory.
    module(
      "Samples/Support", name: "SampleSupport", "ActionLog", "ActionLogTesting", "EventSourcing", "ImmutableData",
      "Platform"),
    module("Samples/Services", "ActionLog"),
    module("Samples/Counter/CounterData", "ActionLog", "EventSourcing", "JSONCoding", "Platform", "SampleSupport"),
    module(
      "Samples/Counter/CounterUI", "ActionLog", "CounterData", "EventSourcing", "ImmutableData", "ImmutableUI",
      "SampleSupport", "TerminalUI", "TimeTravel"),
    module("Samples/Counter/CounterSwiftUI", "CounterData", "CounterUI", "ImmutableUI"),
    program(
      "Samples/Counter/counter", "ActionLog", "ActionLogTool", "CounterData", "CounterUI", "DebugDrawer",
      "EventSourcing", "SampleSupport", "TimeTravel"),
    module(
      "Samples/Animals/AnimalsData", "ActionLog", "EventSourcing", "ImmutableData", "JSONCoding", "Platform",
      "SampleSupport", "TreeCollections"),
    // Apart from the data, so that a program without a network does not link one: that is a third of a short command's time.
    module("Samples/Animals/AnimalsRemote", "AnimalsData", "SampleSupport"),
    module(
      "Samples/Animals/AnimalsUI", "AnimalsData", "EventSourcing", "ImmutableData", "ImmutableUI", "SampleSupport",
      "TerminalUI",
      "TreeCollections"),
    module("Samples/Animals/AnimalsSwiftUI", "AnimalsData", "AnimalsUI", "ImmutableUI"),
    program(
      "Samples/Animals/animals", "ActionLog", "ActionLogTool", "AnimalsData", "AnimalsRemote", "AnimalsUI",
      "DebugDrawer", "EventSourcing", "ImmutableData", "ImmutableUI", "SampleSupport", "Services", "TerminalUI",
      "TimeTravel"),
    program(
      "Samples/Animals/animals-client", "ActionLog", "ActionLogTool", "AnimalsData", "AnimalsRemote", "EventSourcing",
      "JSONCoding", "Platform", "SampleSupport", "Services"),
    program(
      "Samples/Animals/animals-server", "ActionLog", "ActionLogMaintenance", "ActionLogTool", "AnimalsData",
      "EventSourcing", "HTTPServer",
      "JSONCoding", "Platform", "SampleSupport"),
    module(
      "Samples/Quakes/QuakesData", "ActionLog", "EventSourcing", "ImmutableData", "JSONCoding", "Platform",
      "SampleSupport", "TreeCollections"),
    module(
      "Samples/Quakes/QuakesUI", "EventSourcing", "ImmutableData", "ImmutableUI", "QuakesData", "SampleSupport",
      "TerminalUI", "TreeCollections"),
    module("Samples/Quakes/QuakesSwiftUI", "ImmutableUI", "QuakesData", "QuakesUI"),
    module("Samples/Quakes/QuakesRemote", "QuakesData", "SampleSupport"),
    // The options that both programs read from their command lines.
    module(
      "Samples/Quakes/QuakesWiring", "ActionLog", "ActionLogTool", "QuakesData", "QuakesRemote", "SampleSupport",
      "Services"),
    program(
      "Samples/Quakes/quakes", "ActionLog", "ActionLogTool", "DebugDrawer", "EventSourcing", "ImmutableData",
      "ImmutableUI", "QuakesData", "QuakesUI", "QuakesWiring", "SampleSupport", "TerminalUI", "TimeTravel"),
    program(
      "Samples/Quakes/quakes-client", "ActionLog", "ActionLogTool", "EventSourcing", "JSONCoding", "Platform",
      "QuakesData", "QuakesWiring", "SampleSupport"),
    module(
      "Samples/FoodTruck/FoodTruckData", "ActionLog", "EventSourcing", "ImmutableData", "JSONCoding", "Platform",
      "SampleSupport", "TreeCollections"),
    module(
      "Samples/FoodTruck/FoodTruckUI", "EventSourcing", "FoodTruckData", "ImmutableData", "ImmutableUI",
      "SampleSupport",
      "TerminalUI", "TreeCollections"),
    module("Samples/FoodTruck/FoodTruckSwiftUI", "FoodTruckData", "FoodTruckUI", "ImmutableUI"),
    program(
      "Samples/FoodTruck/foodtruck", "ActionLog", "ActionLogTool", "DebugDrawer", "EventSourcing", "FoodTruckData",
      "FoodTruckUI", "ImmutableData", "ImmutableUI", "Platform", "SampleSupport", "TerminalUI", "TimeTravel"),
    // A model with a bug, and the log whose story finds it.
    module("Samples/PlantedBug", "AnimalsData", "EventSourcing", "TreeCollections"),
    program(
      "Samples/action-log", "ActionLogTool", "AnimalsData", "CounterData", "FoodTruckData", "PlantedBug", "QuakesData",
      "SampleSupport"),

    // MARK: Plugins: generated direct coding, fingerprints of a model's sources
    module("Plugins/DirectCodingGenerator"),
    program("Plugins/direct-coding-generator", "DirectCodingGenerator"),
    .plugin(
      name: "GenerateDirectCoding",
      capability: .command(
        intent: .custom(
          verb: "generate-direct-coding",
          description: "Generates code that reads and writes the Codable types of a target without Codable."),
        permissions: [.writeToPackageDirectory(reason: "the generated file is stored next to the target's sources")]),
      dependencies: ["direct-coding-generator"], path: "Sources/Plugins/GenerateDirectCoding"),
    module("Plugins/SourceFingerprinting"),
    program("Plugins/source-fingerprint", "SourceFingerprinting"),
    .plugin(
      name: "SourceFingerprint", capability: .buildTool(), dependencies: ["source-fingerprint"],
      path: "Sources/Plugins/SourceFingerprint"),

    // MARK: Benchmarks
    module("Kit", name: "BenchmarkKit", in: "Benchmarks"),
    program(
      "Program", name: "benchmarks", in: "Benchmarks", "ActionLog", "ActionLogMaintenance", "AnimalsData",
      "BenchmarkKit", "CounterData", "EventSourcing", "ImmutableData", "JSONCoding", "Platform", "TimeTravel",
      "TreeCollections"),

    // MARK: Tests: support, trials, fuzzing
    module(
      "TestSupport", in: "Tests", "ActionLog", "AsyncSequenceTestUtils", "EventSourcing", "ImmutableData", "JSONCoding",
      "Platform", "TerminalUI"),
    tests("Benchmarks/BenchmarkKitTests", "BenchmarkKit", "TestSupport"),
    // Every promise about the log against every failure: a share in each test run, all of it by `trials --long`.
    module(
      "Trials/Kit", name: "TrialKit", in: "Tests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting",
      "EventSourcing", "ImmutableData", "JSONCoding", "Platform", "TestSupport"),
    program("Trials/Program", name: "trials", in: "Tests", "TrialKit"),
    tests("Trials/Tests", name: "TrialTests", "ActionLog", "ActionLogTesting", "TestSupport", "TrialKit", "trials"),
    // Parsers of untrusted bytes: for each file of a corpus in each test run, for generated input by `.ci/fuzz`.
    module(
      "Fuzzing/Kit", name: "FuzzKit", in: "Tests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting",
      "AnimalsData", "EventSourcing", "Interchange", "JSONCoding"),
    tests("Fuzzing/Tests", name: "FuzzingTests", "FuzzKit", resources: [.copy("Corpus")]),

    // MARK: Tests of System and Engine
    tests("System/PlatformTests", "ActionLog", "ActionLogTesting", "Platform", "TestSupport"),
    tests("Engine/ImmutableDataTests", "ImmutableData", "Platform", "TestSupport"),
    // StandIn is compiled by a test: a target named SwiftUI would make `canImport` depend on the build order.
    tests(
      "Engine/ImmutableUITests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "AsyncSequenceTestUtils",
      "EventSourcing", "ImmutableData", "ImmutableUI", "Platform", "TestSupport", "TimeTravel", exclude: ["StandIn"]),
    tests("Engine/TreeCollectionsTests", "JSONCoding", "TestSupport", "TreeCollections"),
    tests("Engine/JSONCodingTests", "JSONCoding", "TestSupport", resources: [.copy("Fixtures")]),
    tests(
      "Engine/ActionLogTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "CSystem", "JSONCoding",
      "Platform", "TestSupport", resources: [.copy("Fixtures")]),
    // Golden holds logs, which the tests read in place.
    tests(
      "Engine/EventSourcingTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "AnimalsData",
      "CounterData", "EventSourcing", "ImmutableData", "JSONCoding", "Platform", "TestSupport", exclude: ["Golden"]),
    tests(
      "Engine/TimeTravelTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "AnimalsData", "EventSourcing",
      "FoodTruckData", "ImmutableData", "JSONCoding", "Platform", "QuakesData", "TestSupport", "TimeTravel",
      "TreeCollections"),
    tests(
      "Engine/InterchangeTests", "ActionLog", "ActionLogTesting", "Interchange", "JSONCoding", "TestSupport",
      resources: [.copy("Fixtures")]),
    tests(
      "Engine/ActionLogTestingTests", "ActionLog", "ActionLogTesting", "EventSourcing", "ImmutableData", "Platform",
      "TestSupport"),
    // Compiled once more by a test, as the sources of another package.
    tests(
      "Engine/PublicInterfaceTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "EventSourcing",
      "ImmutableData", "TestSupport", "TimeTravel"),
    tests("Engine/AsyncSequenceTestUtilsTests", "AsyncSequenceTestUtils", "Platform", "TestSupport"),

    // MARK: Tests of Tool
    tests("Tool/TerminalUITests", "Platform", "TerminalUI", "TestSupport"),
    tests("Tool/HTTPServerTests", "ActionLog", "HTTPServer", "Platform", "TestSupport"),
    tests(
      "Tool/DebugDrawerTests", "ActionLog", "ActionLogTesting", "DebugDrawer", "EventSourcing", "ImmutableData",
      "ImmutableUI", "TerminalUI", "TestSupport", "TimeTravel"),
    // A tool with impure models, for tests that need more than one process.
    program("Tool/ImpureTool", name: "impure-tool", in: "Tests", "ActionLogTool", "EventSourcing"),
    // A question for a test of its own: all that adding one takes.
    module("Tool/AddedQuestion", in: "Tests", "ActionLog", "ActionLogTool", "JSONCoding"),
    tests(
      "Tool/ActionLogToolTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "ActionLogTool",
      "AddedQuestion", "AnimalsData", "CounterData", "DebugDrawer", "EventSourcing", "FoodTruckData", "FuzzKit",
      "HTTPServer", "ImmutableData", "Interchange", "JSONCoding", "PlantedBug", "Platform", "QuakesData",
      "SampleSupport", "TerminalUI", "TestSupport", "TimeTravel", "TreeCollections", "action-log", "animals",
      "animals-client", "animals-server", "foodtruck", "impure-tool", "quakes", resources: [.copy("Golden")]),

    // MARK: Tests of Samples
    tests("Samples/ServicesTests", "Platform", "Services", "TestSupport"),
    tests("Samples/CounterDataTests", "CounterData", "EventSourcing", "SampleSupport"),
    tests(
      "Samples/CounterUITests", "ActionLog", "ActionLogTesting", "CounterData", "CounterUI", "DebugDrawer",
      "EventSourcing", "ImmutableData", "Platform", "TerminalUI", "TestSupport", "TimeTravel", "counter"),
    tests(
      "Samples/AnimalsDataTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "AnimalsData",
      "AnimalsRemote", "EventSourcing", "ImmutableData", "JSONCoding", "Platform", "SampleSupport", "Services",
      "TestSupport", "TreeCollections"),
    tests(
      "Samples/AnimalsUITests", "AnimalsData", "AnimalsUI", "EventSourcing", "ImmutableData", "ImmutableUI", "Platform",
      "SampleSupport", "TerminalUI", "TestSupport", "TreeCollections"),
    tests(
      "Samples/AnimalsProgramTests", "ActionLog", "ActionLogMaintenance", "AnimalsData", "EventSourcing", "Platform",
      "TestSupport", "TreeCollections", "action-log", "animals", "animals-client", "animals-server"),
    tests(
      "Samples/QuakesDataTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "EventSourcing",
      "ImmutableData", "JSONCoding", "Platform", "QuakesData", "QuakesRemote", "SampleSupport", "Services",
      "TestSupport", "TreeCollections", resources: [.copy("Fixtures")]),
    tests(
      "Samples/QuakesUITests", "ActionLog", "EventSourcing", "ImmutableData", "ImmutableUI", "Platform", "QuakesData",
      "QuakesUI", "SampleSupport", "TerminalUI", "TestSupport", "TreeCollections", "quakes", "quakes-client",
      resources: [.copy("Golden")]),
    tests(
      "Samples/FoodTruckDataTests", "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "AsyncSequenceTestUtils",
      "EventSourcing", "FoodTruckData", "ImmutableData", "JSONCoding", "Platform", "SampleSupport", "TestSupport",
      "TimeTravel", "TreeCollections"),
    tests(
      "Samples/FoodTruckUITests", "ActionLog", "ActionLogTesting", "EventSourcing", "FoodTruckData", "FoodTruckUI",
      "ImmutableData", "ImmutableUI", "Platform", "SampleSupport", "TerminalUI", "TestSupport", "TimeTravel",
      "TreeCollections", "foodtruck"),

    // MARK: Tests of Plugins
    // Every shape of type with generated code, and some without.
    module("Plugins/DirectZoo", in: "Tests", "JSONCoding", "TestSupport"),
    tests(
      "Plugins/DirectCodingTests", "ActionLog", "ActionLogTesting", "AnimalsData", "CounterData",
      "DirectCodingGenerator", "DirectZoo", "EventSourcing", "FoodTruckData", "JSONCoding", "QuakesData",
      "TestSupport"),
    module("Plugins/FingerprintedRules", in: "Tests"),
    module("Plugins/FingerprintedModel", in: "Tests", "FingerprintedRules", plugins: ["SourceFingerprint"]),
    tests("Plugins/SourceFingerprintingTests", "FingerprintedModel", "SourceFingerprinting"),
  ]
)

// Scripts in `.ci` that need some of the tests name them, so that nothing else is built.
if let names = Context.environment["ONLY_TESTS"], !names.isEmpty {
  var kept = Set(names.split(separator: " ").map(String.init))
  // Targets follow those that they depend on.
  for target in package.targets.reversed() where kept.contains(target.name) {
    for case .byNameItem(let name, _) in target.dependencies { kept.insert(name) }
    for case .plugin(let name, _) in target.plugins ?? [] { kept.insert(name) }
  }
  package.targets.removeAll { target in !kept.contains(target.name) }
  package.products = []
}
