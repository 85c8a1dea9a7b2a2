import BenchmarkKit
import Foundation

/// Counts the instructions of pieces of work with callgrind, and compares them with a reference: what a busy machine
/// cannot disturb.
@MainActor struct InstructionsCommand {
  private let arguments: Arguments

  /// The counts that changes are compared with. They hold for one kind of processor and one compiler.
  static let referencePath = "Benchmarks/results/instructions.json"

  /// The default tolerance in percent: the standard library's hashing draws a seed for each
  /// process.
  static let tolerancePercent = 3

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  /// The reference, where there is one.
  static var reference: [InstructionCount]? {
    get throws {
      guard FileManager.default.fileExists(atPath: referencePath) else { return nil }
      return try JSONDecoder().decode(
        [InstructionCount].self, from: Data(contentsOf: URL(fileURLWithPath: referencePath)))
    }
  }

  func run() async throws {
    guard CountedWork.allCases.contains(where: isChosen) else {
      let names = CountedWork.allCases.map { work in "'\(work.rawValue)'" }.joined(separator: ", ")
      throw ArgumentError("no piece of work is called '\(arguments.filter ?? "")'; there are \(names)")
    }
    var results = try Results(savedAt: arguments.results)
    let counts = try await WorkingDirectory.with(arguments.data) { directory in
      // Valgrind stumbles over debugging information that is newer than itself; the names of functions are enough.
      let program = directory + "/counted"
      _ = try ChildProcess(
        executable: "/usr/bin/env", arguments: ["strip", "--strip-debug", "-o", program, ChildProcess.ownPath]
      ).output()
      return try CountedWork.allCases.filter(isChosen).map { work in
        tell("instructions: \(work.rawValue)")
        return try count(work, program, directory)
      }
    }
    results.instructions = counts
    try show(results)
    if arguments.updates { try Self.write(counts) }
    if let path = arguments.results { try results.write(to: path) }
    if arguments.checks { try check(counts) }
  }

  private func isChosen(_ work: CountedWork) -> Bool {
    arguments.filter.map { filter in work.rawValue.contains(filter) } ?? true
  }

  private func count(_ work: CountedWork, _ program: String, _ directory: String) throws -> InstructionCount {
    guard
      let valgrind = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"].first(where: FileManager.default.isExecutableFile)
    else { throw HarnessError("valgrind is not installed; it counts the instructions") }
    let log = "\(directory)/callgrind.log"
    _ = try ChildProcess(
      executable: valgrind,
      arguments: [
        "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(log)", "--collect-atstart=no",
        "--toggle-collect=*countedWork*", program, "work", work.rawValue, "--data", directory,
      ]
    ).output()
    let text = try String(contentsOfFile: log, encoding: .utf8)
    guard
      let line = text.split(separator: "\n").last(where: { line in line.contains("Collected :") }),
      let total = line.split(separator: " ").last.flatMap({ Double($0) }), total > 0
    else { throw HarnessError("callgrind counted nothing: \(text.suffix(500))") }
    return InstructionCount(name: work.rawValue, perUnit: total / Double(WorkCommand.count), unit: work.unit)
  }

  /// Makes counts the reference.
  static func write(_ counts: [InstructionCount]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try PageFile.write(encoder.encode(counts) + Data("\n".utf8), referencePath)
  }

  private func show(_ results: Results) throws {
    let counts = results.instructions
    if arguments.output == .json {
      FileHandle.standardOutput.write(try results.json)
      return
    }
    var table = TextTable(["work", "instructions", "for each"], numeric: [1])
    for count in counts { table.add([count.name, Figures.grouped(count.perUnit), count.unit]) }
    print(arguments.output == .markdown ? table.markdown : table.plain)
  }

  private func check(_ counts: [InstructionCount]) throws {
    guard let reference = try Self.reference else {
      throw HarnessError("there is no \(Self.referencePath); 'benchmarks instructions --update' makes it")
    }
    let percent = arguments.tolerancePercent ?? Self.tolerancePercent
    let regressions = InstructionCount.regressions(of: counts, against: reference, tolerance: Double(percent) / 100)
    guard regressions.isEmpty else {
      throw HarnessError("more instructions than in \(Self.referencePath):\n" + regressions.joined(separator: "\n"))
    }
  }
}
