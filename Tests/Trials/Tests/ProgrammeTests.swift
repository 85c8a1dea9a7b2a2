import Foundation
import TestSupport
import Testing
import TrialKit

/// The part of the trials that needs processes, at a small share. Trials that need root are skipped without it.
@Suite("The programme of trials", .timeLimit(.minutes(60)))
struct ProgrammeTests {
  private let directory: TemporaryDirectory
  private let context: TrialContext

  init() throws {
    directory = try TemporaryDirectory()
    let products = Bundle.main.bundleURL.hasDirectoryPath ? Bundle.main.bundleURL : URL(fileURLWithPath: ".")
    context = TrialContext(
      seed: 1, share: 0.001, directory: directory.path, executable: products.appendingPathComponent("trials").path)
  }

  private static let parts = TrialProgramme.parts.map(\.name).filter { name in
    // These have separate tests whose size suits a test run.
    !["simulator", "recording", "controls", "rules", "care", "faults"].contains(name)
      && !(["limits", "hostile"].contains(name) && ThreadSanitizer.isWatching)
  }

  @Test(arguments: parts)
  func everyTriedGoalIsMet(name: String) async throws {
    let part = try #require(TrialProgramme.parts.first { part in part.name == name })
    var skipped: [String] = []
    for goal in await TrialProgramme.run(part, context) {
      #expect(goal.outcome != .missed, "\(goal.row) \(goal.flaws)")
      if case .skipped(let reason) = goal.outcome { skipped.append("\(goal.name): \(reason)") }
    }
    if !skipped.isEmpty { try Test.cancel("skipped: \(skipped.joined(separator: "; "))") }
  }

  @Test func failureOfTheProgramIsNotSkipped() throws {
    let limited = "ulimit -f 1; exec \"$0\" --only hostile --share 0.0001 --directory \"$1\""
    let child = try Child("/bin/sh", ["-c", limited, context.executable, directory.path])
    #expect(child.wait() == 1)
    let row = try #require(child.lines.first { line in line.hasPrefix("| hostile") })
    #expect(row.hasSuffix("| **NOT MET** |"), "\(row)")
    #expect(row.contains(" 1 flaw "), "\(row)")
    #expect(child.lines.contains { line in line.contains(" ended with 1: error: ") }, "\(child.lines)")
    #expect(child.lines.last == "1 goal is not met")
  }

  @Test func skippedTrialKeepsOtherGoals() async {
    let part = TrialProgramme.Part(
      name: "part",
      [
        TrialProgramme.Trial("first") { _ in [Goal("a", wanted: "b", figure: "c", isMet: true, flaws: ["lost"])] },
        TrialProgramme.Trial("second") { _ in throw Unavailable("no root") },
        TrialProgramme.Trial("third") { _ in throw CommandFailure(command: ["writer"], status: 1) },
        TrialProgramme.Trial("fourth") { _ in [Goal("d", wanted: "e", figure: "f", isMet: true)] },
      ])
    let goals = await TrialProgramme.run(part, context)
    #expect(goals.map(\.outcome) == [.missed, .skipped("no root"), .missed, .met])
    #expect(goals.map(\.name) == ["a", "second", "third", "d"])
    #expect(goals.first?.flaws == ["lost"])
  }

  @Test func flawSetsTheExitStatus() throws {
    let goal = Goal("a", wanted: "b", figure: "c", isMet: true, flaws: ["lost"])
    #expect(goal.outcome == .missed)
    #expect(goal.row.contains("NOT MET"))
    #expect(Goal("a", wanted: "b", skippedBecause: "no root").row.contains("skipped: no root"))
  }

  @Test func invalidCommandLineIsRefused() throws {
    for arguments in [["--only", "nothing"], ["--share", "7"], ["--wrong", "1"], ["--seed"], ["--seed", "x"]] {
      let child = try Child(context.executable, arguments)
      #expect(child.wait() == 2, "\(arguments)")
    }
  }

  @Test func programPrintsATableAndSucceeds() throws {
    let child = try Child(
      context.executable, ["--share", "0.0001", "--only", "care,controls", "--directory", directory.path])
    #expect(child.wait() == 0)
    #expect(child.lines.contains { line in line.hasPrefix("| backup, salvage and ship interrupted |") })
    #expect(child.lines.last == "every goal that could be tried is met")
  }
}
