import BenchmarkKit
import Foundation

// Times the engine against baselines and peers in alternating rounds; see README.md.
//
// Exit status: 0 fine; 1 something could not be done, or instructions grew; 2 the command line cannot be understood.

do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  if arguments.asksForHelp {
    print(Arguments.help, terminator: "")
  } else {
    try await run(arguments)
  }
} catch let error as ArgumentError {
  tell("error: \(error)")
  exit(2)
} catch let missing as Missing {
  // For the process that asked for a round.
  print(missing)
  exit(ChildProcess.missingStatus)
} catch {
  tell("error: \(error)")
  exit(1)
}

/// Does what the command line asks for.
@MainActor func run(_ arguments: Arguments) async throws {
  switch arguments.command {
  case .targets: try await TargetsCommand(arguments).run()
  case .round: try await RoundCommand(arguments).run()
  case .guide: try await GuideCommand(arguments).run()
  case .guideRound: try GuideRoundCommand(arguments).run()
  case .growth: try await GrowthCommand(arguments).run()
  case .instructions: try await InstructionsCommand(arguments).run()
  case .work: try WorkCommand(arguments).run()
  case .report: try ReportCommand(arguments).run()
  }
}

/// Writes a progress message to standard error.
func tell(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
