// swift-tools-version: 6.2

import PackageDescription

/// What every target of this package is compiled with.
///
/// Warnings are errors here and only here: SwiftPM drops the setting when the package is a dependency of another one.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library target: the modules that the diagram in README.md shows, bottom up.
func library(_ name: String, dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A test target that mirrors the module it is named for.
func tests(
  _ name: String, dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = []
) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    exclude: exclude,
    resources: resources,
    swiftSettings: settings
  )
}

let package = Package(
  name: "ActionLog",
  platforms: [
    .iOS(.v17), .macCatalyst(.v17), .macOS(.v14), .tvOS(.v17), .visionOS(.v1), .watchOS(.v10),
  ],
  products: [
    .library(name: "ImmutableData", targets: ["ImmutableData"]),
    .library(name: "ImmutableUI", targets: ["ImmutableUI"]),
    .library(name: "TreeCollections", targets: ["TreeCollections"]),
    .library(name: "JSONCoding", targets: ["JSONCoding"]),
    .library(name: "ActionLog", targets: ["ActionLog"]),
    .library(name: "EventSourcing", targets: ["EventSourcing"]),
    .library(name: "TimeTravel", targets: ["TimeTravel"]),
    .library(name: "Interchange", targets: ["Interchange"]),
    .library(name: "TerminalUI", targets: ["TerminalUI", "TextDisplay"]),
    .library(name: "CounterData", targets: ["CounterData"]),
    .library(name: "AnimalsData", targets: ["AnimalsData"]),
    .library(name: "QuakesData", targets: ["QuakesData"]),
    .library(name: "QuakesUI", targets: ["QuakesUI"]),
    .library(name: "FoodTruckData", targets: ["FoodTruckData"]),
    .library(name: "FoodTruckUI", targets: ["FoodTruckUI"]),
    .library(name: "Services", targets: ["Services"]),
    .library(name: "ActionLogTool", targets: ["ActionLogTool"]),
    .plugin(name: "GenerateDirectCoding", targets: ["GenerateDirectCoding"]),
    .plugin(name: "SourceFingerprint", targets: ["SourceFingerprint"]),
    // For test targets only.
    .library(name: "AsyncSequenceTestUtils", targets: ["AsyncSequenceTestUtils"]),
    .library(name: "HTTPServer", targets: ["HTTPServer"]),
    .library(name: "AnimalsUI", targets: ["AnimalsUI"]),
    // Views and property wrappers for SwiftUI; empty modules where there is no SwiftUI.
    .library(name: "AnimalsSwiftUI", targets: ["AnimalsSwiftUI"]),
    .library(name: "CounterSwiftUI", targets: ["CounterSwiftUI"]),
    .library(name: "FoodTruckSwiftUI", targets: ["FoodTruckSwiftUI"]),
    .library(name: "QuakesSwiftUI", targets: ["QuakesSwiftUI"]),
    .executable(name: "action-log", targets: ["action-log"]),
    .executable(name: "quakes", targets: ["quakes"]),
    .executable(name: "quakes-client", targets: ["quakes-client"]),
    .executable(name: "foodtruck", targets: ["foodtruck"]),
    .executable(name: "animals", targets: ["animals"]),
    .executable(name: "animals-client", targets: ["animals-client"]),
    .executable(name: "animals-server", targets: ["animals-server"]),
    .executable(name: "counter", targets: ["counter"]),
    .executable(name: "benchmarks", targets: ["benchmarks"]),
    .executable(name: "trials", targets: ["trials"]),
  ],
  targets: [
    // What Swift cannot reach: flock, fadvise, CRC instructions. Each has a pure Swift twin or a portable fallback.
    .target(name: "CSystem"),
    // A lock for every platform.
    library("Locking"),
    // Threads for what blocks.
    library("Threading", dependencies: ["CSystem", "Locking"]),
    // What text looks like in a terminal: its columns, and what must be escaped.
    library("TextDisplay"),
    // Screens of characters: cells, keys, raw mode, an application's loop.
    library("TerminalUI", dependencies: ["CSystem", "Locking", "TextDisplay", "Threading"]),

    library("ImmutableData", dependencies: ["Locking"]),
    library("ImmutableUI", dependencies: ["ImmutableData"]),
    library("TreeCollections"),
    library("JSONCoding"),
    library("ActionLog", dependencies: ["CSystem", "JSONCoding", "Locking", "Threading"]),
    library(
      "EventSourcing",
      dependencies: [
        "ActionLog", "CSystem", "ImmutableData", "JSONCoding", "Locking", "Threading", "TreeCollections",
      ]
    ),
    library(
      "TimeTravel",
      dependencies: [
        "ActionLog", "EventSourcing", "ImmutableData", "JSONCoding", "Locking", "TextDisplay", "TreeCollections",
      ]),
    // Formats of other programs: CloudEvents, Redux DevTools, traces, comma-separated values.
    library("Interchange", dependencies: ["ActionLog", "EventSourcing", "JSONCoding"]),

    // What the made-up histories of the samples are made with.
    library("SampleWorkloads"),
    library("CounterData", dependencies: ["EventSourcing", "ImmutableData", "JSONCoding"]),
    // What the samples' stores have in common.
    library("StoreSupport", dependencies: ["ActionLog", "EventSourcing", "ImmutableData", "Locking"]),
    library(
      "AnimalsData",
      dependencies: [
        "ActionLog", "EventSourcing", "ImmutableData", "JSONCoding", "SampleWorkloads", "StoreSupport",
        "TreeCollections",
      ]
    ),
    library(
      "QuakesData",
      dependencies: [
        "ActionLog", "EventSourcing", "ImmutableData", "JSONCoding", "SampleWorkloads", "StoreSupport",
        "TreeCollections",
      ]
    ),
    library(
      "FoodTruckData",
      dependencies: ["EventSourcing", "ImmutableData", "JSONCoding", "SampleWorkloads", "TreeCollections"]),
    library(
      "QuakesUI", dependencies: ["ImmutableData", "ImmutableUI", "QuakesData", "TerminalUI", "TreeCollections"]),
    library(
      "FoodTruckUI",
      dependencies: ["FoodTruckData", "ImmutableData", "ImmutableUI", "TerminalUI", "TreeCollections"]),
    library("Services"),
    library("HTTPServer", dependencies: ["Locking"]),

    .executableTarget(
      name: "animals-server",
      dependencies: [
        "ActionLog", "ActionLogTool", "AnimalsData", "EventSourcing", "HTTPServer", "JSONCoding", "Locking",
        "StoreSupport",
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "animals-client",
      dependencies: ["ActionLog", "ActionLogTool", "AnimalsData", "EventSourcing", "JSONCoding", "Services"],
      swiftSettings: settings
    ),
    library(
      "AnimalsUI",
      dependencies: ["AnimalsData", "ImmutableData", "ImmutableUI", "StoreSupport", "TerminalUI", "TreeCollections"]),
    .executableTarget(
      name: "animals",
      dependencies: [
        "ActionLog", "ActionLogTool", "AnimalsData", "AnimalsUI", "EventSourcing", "ImmutableData", "ImmutableUI",
        "Services", "TerminalUI",
      ],
      swiftSettings: settings
    ),

    library(
      "ActionLogTool",
      dependencies: [
        "ActionLog", "AnimalsData", "CSystem", "EventSourcing", "ImmutableData", "Interchange", "JSONCoding", "Locking",
        "TerminalUI", "TextDisplay", "Threading", "TimeTravel",
      ]
    ),
    // A model with a bug, and the log in which a reader of the story finds it.
    library("PlantedBug", dependencies: ["AnimalsData", "EventSourcing", "TreeCollections"]),
    .executableTarget(
      name: "action-log",
      dependencies: [
        "ActionLogTool", "AnimalsData", "CounterData", "EventSourcing", "FoodTruckData", "PlantedBug", "QuakesData",
      ],
      swiftSettings: settings
    ),

    // The quakes: what both programs take from their command lines, and the programs.
    library("QuakesWiring", dependencies: ["ActionLogTool", "QuakesData", "Services"]),
    .executableTarget(
      name: "quakes-client",
      dependencies: ["ActionLog", "ActionLogTool", "EventSourcing", "JSONCoding", "QuakesData", "QuakesWiring"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "quakes",
      dependencies: [
        "ActionLogTool", "EventSourcing", "ImmutableData", "ImmutableUI", "QuakesData", "QuakesUI", "QuakesWiring",
        "TerminalUI",
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "foodtruck",
      dependencies: [
        "ActionLogTool", "EventSourcing", "FoodTruckData", "FoodTruckUI", "ImmutableData", "ImmutableUI", "TerminalUI",
      ],
      swiftSettings: settings
    ),
    // The samples' screens, and the programs that show them.
    library(
      "CounterUI",
      dependencies: ["CounterData", "EventSourcing", "ImmutableData", "ImmutableUI", "TerminalUI", "TimeTravel"]
    ),
    .executableTarget(
      name: "counter",
      dependencies: ["ActionLogTool", "CounterData", "CounterUI", "EventSourcing", "TimeTravel"],
      swiftSettings: settings
    ),

    // The samples' property wrappers, views and previews for SwiftUI: one module per sample, because the guide gives them
    // the same names.
    library("AnimalsSwiftUI", dependencies: ["AnimalsData", "AnimalsUI", "ImmutableData", "ImmutableUI"]),
    library("CounterSwiftUI", dependencies: ["CounterData", "CounterUI", "ImmutableData", "ImmutableUI"]),
    library("FoodTruckSwiftUI", dependencies: ["FoodTruckData", "FoodTruckUI", "ImmutableData", "ImmutableUI"]),
    library("QuakesSwiftUI", dependencies: ["ImmutableData", "ImmutableUI", "QuakesData", "QuakesUI"]),

    // What the benchmarks compute and write, apart from what they measure.
    .target(name: "BenchmarkKit", path: "Benchmarks/Kit", swiftSettings: settings),

    // Code that reads and writes actions and states without Codable: `swift package generate-direct-coding --target NAME`.
    library("DirectCodingGenerator"),
    .executableTarget(
      name: "direct-coding-generator", dependencies: ["DirectCodingGenerator"], swiftSettings: settings),
    .plugin(
      name: "GenerateDirectCoding",
      capability: .command(
        intent: .custom(
          verb: "generate-direct-coding",
          description: "Generates code that reads and writes the Codable types of a target without Codable."
        ),
        permissions: [.writeToPackageDirectory(reason: "the generated file lies beside the target's sources")]
      ),
      dependencies: ["direct-coding-generator"],
      path: "Sources/Plugins/GenerateDirectCoding"
    ),

    // A text that changes with the sources of a model: what snapshots say of the code that folded them.
    library("SourceFingerprinting"),
    .executableTarget(
      name: "source-fingerprint", dependencies: ["SourceFingerprinting"], swiftSettings: settings),
    .plugin(
      name: "SourceFingerprint",
      capability: .buildTool(),
      dependencies: ["source-fingerprint"],
      path: "Sources/Plugins/SourceFingerprint"
    ),

    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "ActionLog", "AnimalsData", "BenchmarkKit", "CounterData", "EventSourcing", "ImmutableData", "JSONCoding",
        "TimeTravel", "TreeCollections",
      ],
      path: "Benchmarks/Program",
      swiftSettings: settings
    ),

    library("AsyncSequenceTestUtils", dependencies: ["Locking"]),
    .target(
      name: "TestSupport",
      dependencies: [
        "ActionLog", "AsyncSequenceTestUtils", "EventSourcing", "ImmutableData", "JSONCoding", "Locking", "TextDisplay",
      ],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    // What is promised of the log, tried against every failure: a share of it in every test run, all of it by
    // `swift run -c release trials --long`.
    .target(
      name: "TrialKit",
      dependencies: ["ActionLog", "EventSourcing", "ImmutableData", "Locking", "TestSupport", "Threading"],
      path: "Tests/Trials/Kit",
      swiftSettings: settings),
    .executableTarget(
      name: "trials", dependencies: ["TrialKit"], path: "Tests/Trials/Program", swiftSettings: settings),
    tests("TrialTests", dependencies: ["ActionLog", "TestSupport", "TrialKit", "trials"]),
    // The readers of strange bytes, and what must hold of them: for every file of a corpus in each test run, for what a
    // fuzzer makes of them by `.ci/fuzz`.
    .target(
      name: "FuzzKit", dependencies: ["ActionLog", "AnimalsData", "EventSourcing", "Interchange", "JSONCoding"],
      path: "Tests/Fuzzing/Kit", swiftSettings: settings),
    tests("FuzzingTests", dependencies: ["FuzzKit"], resources: [.copy("Corpus")]),
    // Every shape that generated code is made for, and some that it is not made for.
    .target(
      name: "DirectZoo", dependencies: ["JSONCoding", "TestSupport"], path: "Tests/DirectZoo", swiftSettings: settings),
    tests(
      "DirectCodingTests",
      dependencies: [
        "ActionLog", "AnimalsData", "CounterData", "DirectCodingGenerator", "DirectZoo", "EventSourcing",
        "FoodTruckData", "JSONCoding", "QuakesData", "TestSupport",
      ]
    ),
    .target(name: "FingerprintedRules", path: "Tests/FingerprintedRules", swiftSettings: settings),
    .target(
      name: "FingerprintedModel", dependencies: ["FingerprintedRules"], path: "Tests/FingerprintedModel",
      swiftSettings: settings, plugins: ["SourceFingerprint"]),
    tests("SourceFingerprintingTests", dependencies: ["FingerprintedModel", "SourceFingerprinting"]),
    tests("AsyncSequenceTestUtilsTests", dependencies: ["AsyncSequenceTestUtils", "Locking", "TestSupport"]),
    tests("ImmutableDataTests", dependencies: ["ImmutableData", "TestSupport"]),
    tests(
      "ImmutableUITests",
      dependencies: [
        "ActionLog", "AsyncSequenceTestUtils", "EventSourcing", "ImmutableData", "ImmutableUI", "Locking",
        "TestSupport", "TimeTravel",
      ],
      // Compiled by a test, with the toolchain: a target called SwiftUI would make canImport depend on the build's order.
      exclude: ["StandIn"]
    ),
    tests("TextDisplayTests", dependencies: ["TextDisplay"]),
    tests("TerminalUITests", dependencies: ["ActionLog", "Locking", "TerminalUI", "TestSupport"]),
    tests("TreeCollectionsTests", dependencies: ["JSONCoding", "TestSupport", "TreeCollections"]),
    tests("JSONCodingTests", dependencies: ["JSONCoding", "TestSupport"], resources: [.copy("Fixtures")]),
    tests(
      "ActionLogTests",
      dependencies: ["ActionLog", "CSystem", "JSONCoding", "Locking", "TestSupport", "Threading"],
      resources: [.copy("Fixtures")]
    ),
    tests(
      "EventSourcingTests",
      dependencies: [
        "ActionLog", "AnimalsData", "CounterData", "EventSourcing", "ImmutableData", "JSONCoding", "TestSupport",
      ],
      // Logs, which are read where they lie.
      exclude: ["Golden"]
    ),
    // A tool with models that are not as they should be, for tests that need more than one process.
    .executableTarget(
      name: "impure-tool", dependencies: ["ActionLogTool", "EventSourcing"], path: "Tests/ImpureTool",
      swiftSettings: settings),
    tests(
      "TimeTravelTests",
      dependencies: [
        "ActionLog", "AnimalsData", "CounterData", "EventSourcing", "FoodTruckData", "ImmutableData", "JSONCoding",
        "Locking", "QuakesData", "TestSupport", "TextDisplay", "TimeTravel", "TreeCollections",
      ]
    ),
    tests(
      "InterchangeTests",
      dependencies: ["ActionLog", "Interchange", "JSONCoding", "TestSupport"],
      resources: [.copy("Fixtures")]
    ),
    tests(
      "CounterDataTests", dependencies: ["CounterData", "EventSourcing", "ImmutableData", "JSONCoding", "TestSupport"]),
    tests(
      "AnimalsDataTests",
      dependencies: [
        "ActionLog", "AnimalsData", "EventSourcing", "ImmutableData", "JSONCoding", "Locking", "Services",
        "StoreSupport", "TestSupport", "TreeCollections",
      ]
    ),
    tests(
      "CounterUITests",
      dependencies: [
        "ActionLog", "CounterData", "CounterUI", "EventSourcing", "ImmutableData", "JSONCoding", "Locking",
        "TerminalUI", "TestSupport", "TimeTravel", "counter",
      ]
    ),
    tests("BenchmarkKitTests", dependencies: ["BenchmarkKit"]),
    tests(
      "QuakesDataTests",
      dependencies: [
        "ActionLog", "EventSourcing", "ImmutableData", "JSONCoding", "Locking", "QuakesData", "Services",
        "StoreSupport", "TestSupport", "TreeCollections",
      ],
      resources: [.copy("Fixtures")]
    ),
    tests(
      "QuakesUITests",
      dependencies: [
        "ActionLog", "EventSourcing", "ImmutableData", "ImmutableUI", "Locking", "QuakesData", "QuakesUI", "TerminalUI",
        "TestSupport", "TreeCollections", "quakes", "quakes-client",
      ],
      resources: [.copy("Golden")]
    ),
    tests(
      "FoodTruckDataTests",
      dependencies: [
        "ActionLog", "AsyncSequenceTestUtils", "EventSourcing", "FoodTruckData", "ImmutableData", "JSONCoding",
        "Locking", "TestSupport", "TimeTravel", "TreeCollections",
      ]
    ),
    tests(
      "FoodTruckUITests",
      dependencies: [
        "EventSourcing", "FoodTruckData", "FoodTruckUI", "ImmutableData", "ImmutableUI", "TerminalUI", "TestSupport",
        "TimeTravel", "TreeCollections", "foodtruck",
      ]
    ),
    tests(
      "AnimalsUITests",
      dependencies: [
        "AnimalsData", "AnimalsUI", "ImmutableData", "ImmutableUI", "Locking", "TerminalUI", "TestSupport",
        "TreeCollections",
      ]
    ),
    tests(
      "AnimalsProgramTests",
      dependencies: [
        "ActionLog", "AnimalsData", "EventSourcing", "Locking", "TestSupport", "TreeCollections", "animals",
        "animals-client", "animals-server",
      ]
    ),
    tests("HTTPServerTests", dependencies: ["HTTPServer", "Locking", "TestSupport"]),
    tests("ServicesTests", dependencies: ["Locking", "Services", "TestSupport"]),
    tests(
      "ActionLogToolTests",
      dependencies: [
        "ActionLog", "ActionLogTool", "AnimalsData", "CounterData", "EventSourcing", "FoodTruckData", "FuzzKit",
        "ImmutableData", "JSONCoding", "Locking", "PlantedBug", "QuakesData", "TestSupport", "TimeTravel",
        "TreeCollections", "action-log", "impure-tool",
      ],
      resources: [.copy("Golden")]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Scripts in `.ci` that need some of the tests name them, so that nothing else is built.
if let names = Context.environment["ONLY_TESTS"], !names.isEmpty {
  var kept = Set(names.split(separator: " ").map(String.init))
  var count = 0
  while count < kept.count {
    count = kept.count
    for target in package.targets where kept.contains(target.name) {
      for case .byNameItem(let name, _) in target.dependencies { kept.insert(name) }
      for case .plugin(let name, _) in target.plugins ?? [] { kept.insert(name) }
    }
  }
  package.targets.removeAll { target in !kept.contains(target.name) }
  package.products = []
}
