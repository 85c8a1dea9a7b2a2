import Foundation
import TrialKit

// Runs all trials of the log's guarantees that this machine can run, and prints their goals and results.
//
// Exit status: 0 if every goal is met or was skipped, 1 if one was missed, 2 if the command line is invalid.

let help = """
  Tries what is promised of the log, and prints a table of goals.

  USAGE  trials [--long | --share S] [--seed N] [--only NAME,…] [--directory PATH]

    --long         the whole programme: 10⁶ simulated states, thousands of kills and power cuts; an hour
    --share S      a share of it, 0…1; without either, a hundredth
    --seed N       where the draws begin; 1 if nothing is said
    --only NAME,…  \(TrialProgramme.parts.map(\.name).joined(separator: ", "))
    --directory P  where files are made; the system's place for temporary files if nothing is said

  What needs root or a tool that is missing is skipped with its reason. A program of this package that fails is a
  failure. A flaw names the seed that leads to it.

  """

func tell(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}

func refuse(_ text: String) -> Never {
  tell("error: \(text)\n\n\(help)")
  exit(2)
}

var arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "child" {
  guard arguments.count >= 3, let role = ChildRole(rawValue: arguments[1]) else { refuse("child ROLE PATH [LIMIT]") }
  exit(role.run(arguments[2], limit: arguments.count > 3 ? Int(arguments[3]) ?? .max : .max))
}

var share = 0.01
var seed: UInt64 = 1
var only: Set<String> = []
var directory = FileManager.default.temporaryDirectory.path
while let argument = arguments.first {
  arguments.removeFirst()
  if argument == "--long" {
    share = 1
    continue
  }
  if argument == "--help" || argument == "-h" {
    print(help, terminator: "")
    exit(0)
  }
  guard let value = arguments.first else { refuse("\(argument) needs a value") }
  arguments.removeFirst()
  switch argument {
  case "--share":
    guard let number = Double(value), number > 0, number <= 1 else { refuse("--share takes a number up to 1") }
    share = number
  case "--seed":
    guard let number = UInt64(value) else { refuse("--seed takes a whole number") }
    seed = number
  case "--only":
    only = Set(value.split(separator: ",").map(String.init))
    let unknown = only.subtracting(TrialProgramme.parts.map(\.name))
    if let name = unknown.first { refuse("there is no trial '\(name)'") }
  case "--directory": directory = value
  default: refuse("there is no option '\(argument)'")
  }
}

let place = directory + "/trials-\(ProcessInfo.processInfo.processIdentifier)"
do { try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true) } catch {
  refuse("\(place) cannot be created: \(error)")
}
let context = TrialContext(
  seed: seed, share: share, directory: place, executable: Bundle.main.executablePath ?? CommandLine.arguments[0],
  tell: { text in tell(text) })
print("seed \(seed), share \(share)\n\n| trial | goal | figure | |\n|---|---|---|---|")
var flaws: [String] = []
var missedCount = 0
var skippedCount = 0
for part in TrialProgramme.parts where only.isEmpty || only.contains(part.name) {
  for goal in await TrialProgramme.run(part, context) {
    print(goal.row)
    fflush(nil)
    flaws += goal.flaws
    switch goal.outcome {
    case .met: break
    case .missed: missedCount += 1
    case .skipped: skippedCount += 1
    }
  }
}
if !flaws.isEmpty { print("\n" + flaws.joined(separator: "\n")) }
if skippedCount > 0 { print("\nskipped: \(skippedCount)") }
switch missedCount {
case 0: print("\nevery goal that could be tried is met")
case 1: print("\n1 goal is not met")
default: print("\n\(missedCount) goals are not met")
}
do { try FileManager.default.removeItem(atPath: place) } catch { tell("\(place) stays behind: \(error)") }
exit(missedCount == 0 ? 0 : 1)
