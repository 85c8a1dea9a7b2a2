import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation
import JSONCoding

extension Family {
  /// Questions to the long log with the standard snapshots as a user asks them: a process for each, which knows what earlier ones have
  /// kept.
  @MainActor static func coldQuestions(_ data: DataSet) -> Family {
    // No state has such an animal, so the condition is evaluated for every state.
    let atEnd = "not /animals/data/nobody exists and seq == \(data.sizes.logActions)"
    func animal() throws -> String { try data.pointerChangedOnce() }
    return Family(
      "cold questions",
      [
        askingFirst("blame", "one core", data) { log in ["blame", log, try animal()] },
        askingFirst("blame", "all cores", data) { log in ["blame", log, try animal()] },
        askingFirst("list --where", "one core", data) { log in ["list", log, "--where", atEnd] },
        askingFirst("list --where", "all cores", data) { log in ["list", log, "--where", atEnd] },
        askingFirst("find", "one core", data) { log in ["find", log, atEnd] },
        askingFirst("find", "all cores", data) { log in ["find", log, atEnd] },
        askingFirst("compat", "one core", data) { log in ["compat", log] },
        askingFirst("compat", "all cores", data) { log in ["compat", log] },
        asking("blame", data) { log in ["blame", log, try animal()] },
        asking("history", data) { log in ["history", log, try animal()] },
        asking("find", data) { log in ["find", log, "\(try animal()) exists"] },
        asking("list --type", data) { log in ["list", log, "--type", "*.didDeleteAnimal"] },
        asking("list --touching", data) { log in ["list", log, "--touching", try animal()] },
        asking("list --format lines", data) { log in ["list", log, "--format", "lines", "--all"] },
        asking("list", data) { log in ["list", log] },
        reporting(data), browsing(data, isComparing: false), browsing(data, isComparing: true),
        provingCold("one core", data), provingCold("all cores", data),
      ])
  }

  /// The first and a later question about a value, for the growth curves.
  @MainActor static func askingAboutAValue(_ data: DataSet) -> [Contender] {
    func arguments(_ log: String) throws -> [String] { ["blame", log, try data.pointerChangedOnce()] }
    return [
      askingFirst("blame", "all cores", data, named: "blame, the first question", arguments),
      asking("blame", data, named: "blame, a later question", arguments),
    ]
  }

  private static let roundLimit = 2

  /// A question of a user who has asked one before.
  @MainActor private static func asking(
    _ question: String, _ data: DataSet, named name: String? = nil,
    _ arguments: @escaping @MainActor (_ log: String) throws -> [String]
  ) -> Contender {
    Contender(name ?? Name.tool(question), unit: "question", count: 1, roundLimit: roundLimit) {
      var process = ChildProcess(executable: try ChildProcess.tool(), arguments: try arguments(try data.plainLog()))
      process.cacheFolder = data.directory + "/cache"
      let output = try data.scratch("answer")
      // The first question makes the index.
      _ = try process.timed(output: output)
      return { [process] in try process.timed(output: output) }
    }
  }

  /// A question of a user who has asked none, kept to one processor or not.
  @MainActor private static func askingFirst(
    _ question: String, _ cores: String, _ data: DataSet, named name: String? = nil,
    _ arguments: @escaping @MainActor (_ log: String) throws -> [String]
  ) -> Contender {
    Contender(name ?? Name.firstQuestion(question, cores), unit: "question", count: 1, roundLimit: roundLimit) {
      var process = ChildProcess(executable: try ChildProcess.tool(), arguments: try arguments(try data.plainLog()))
      if cores == "one core" { try process.keepToOneProcessor() }
      let output = try data.scratch("answer")
      return { [process] in
        var process = process
        process.cacheFolder = try data.scratch("first-cache")
        return try process.timed(output: output)
      }
    }
  }

  /// A page of the newest 10 000 actions, and its size over that of their lines.
  @MainActor private static func reporting(_ data: DataSet) -> Contender {
    Contender(Name.tool("report"), unit: "page", count: 1, roundLimit: roundLimit) {
      let log = try data.plainLog()
      let page = try data.scratch("report.html")
      let process = ChildProcess(executable: try ChildProcess.tool(), arguments: ["report", log, "--output", page])
      let output = try data.scratch("answer")
      let reported = min(10_000, data.sizes.logActions)
      var records = try LogReader.open(at: log).records(from: data.sizes.logActions - reported + 1)
      var lineBytes = 0
      while let record = try records.next() { lineBytes += record.rawLine.count + 1 }
      let bytes = lineBytes
      return {
        var result = try process.timed(output: output)
        let attributes = try FileManager.default.attributesOfItem(atPath: page)
        let pageBytes = (attributes[.size] as? NSNumber)?.doubleValue ?? 0
        result.metrics["bytesOverLines"] = pageBytes / Double(bytes)
        return result
      }
    }
  }

  /// Steps back from the end of the log in the screen of `tui`, which prints it as text after each line of keys. Without a terminal it
  /// prints all of them at its end, so a step is the difference between a run with steps and one without.
  ///
  /// - Parameter isComparing: Whether each screen counts and shows the differences from a state at the beginning of the log.
  @MainActor private static func browsing(_ data: DataSet, isComparing: Bool) -> Contender {
    let steps = max(1, data.sizes.seeks / 5)
    let name = Name.tool(isComparing ? "tui, compared" : "tui")
    return Contender(name, unit: "step", count: steps, roundLimit: roundLimit) {
      let process = ChildProcess(
        executable: try ChildProcess.tool(), arguments: ["tui", try data.plainLog(), "--at", "end"])
      let output = try data.scratch("answer")
      let start = isComparing ? "g\(data.sizes.logActions / 5_000)\nc\n$\n" : "\n"
      @MainActor func keys(_ name: String, _ text: String) throws -> String {
        let path = try data.scratch(isComparing ? "\(name)-compared" : name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
      }
      let opening = try keys("opening", start)
      let stepping = try keys("stepping", start + String(repeating: "p\n", count: steps))
      return {
        let opening = try process.timed(input: opening, output: output)
        let stepping = try process.timed(input: stepping, output: output)
        func difference(_ name: String) -> Double {
          max(0, (stepping.metrics[name] ?? 0) - (opening.metrics[name] ?? 0))
        }
        return RoundResult(
          hash: stepping.hash, nanoseconds: difference("roundNanoseconds"),
          metrics: ["stepProcessorNanoseconds": difference("processorNanoseconds") / Double(steps)])
      }
    }
  }

  /// `replay --verify`, kept to one processor or not.
  @MainActor private static func provingCold(_ cores: String, _ data: DataSet) -> Contender {
    Contender(Name.proveCold(cores), unit: "action", count: data.sizes.logActions, roundLimit: roundLimit) {
      var process = ChildProcess(
        executable: try ChildProcess.tool(), arguments: ["replay", try data.plainLog(), "--verify"])
      if cores == "one core" { try process.keepToOneProcessor() }
      let output = try data.scratch("answer")
      return { [process] in
        var result = try process.timed(output: output)
        // The answer has the time that it took.
        result.hash = UInt64(data.sizes.logActions)
        return result
      }
    }
  }
}

extension DataSet {
  /// The location of ``animalChangedOnce()``.
  fileprivate func pointerChangedOnce() throws -> String {
    "\(JSONPointer(["animals", "data", try animalChangedOnce()]))"
  }
}

extension ChildProcess {
  @MainActor fileprivate mutating func keepToOneProcessor() throws {
    arguments = ["-c", "0", executable] + arguments
    executable = try ChildRounds.tasksetPath()
  }
}
