import Foundation
import Testing

/// Golden files. `UPDATE_GOLDEN=1 swift test` rewrites them; review the difference.
enum Golden {
  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"

  /// Compares a text with the file of that name.
  static func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if isUpdating {
      let file = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
      try Data(text.utf8).write(to: file)
      return
    }
    let file = Bundle.module.bundleURL.appendingPathComponent("Golden/\(name)")
    guard FileManager.default.fileExists(atPath: file.path) else {
      Issue.record("there is no golden file \(name); make it with UPDATE_GOLDEN=1", sourceLocation: sourceLocation)
      return
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    guard text != expected else { return }
    Issue.record(
      "\(firstDifference(text, expected, name)); UPDATE_GOLDEN=1 accepts it", sourceLocation: sourceLocation)
  }

  /// Compares a text with a file of the package.
  static func expect(_ text: String, isAt file: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if isUpdating {
      try Data(text.utf8).write(to: file)
      return
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    guard text != expected else { return }
    Issue.record(
      "\(firstDifference(text, expected, file.lastPathComponent)); UPDATE_GOLDEN=1 accepts it",
      sourceLocation: sourceLocation)
  }

  private static func firstDifference(_ text: String, _ expected: String, _ name: String) -> String {
    let found = text.split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let index =
      zip(found, wanted).enumerated().first { _, pair in pair.0 != pair.1 }?.offset ?? min(found.count, wanted.count)
    let lines = [wanted, found].map { lines in index < lines.count ? "'\(lines[index])'" : "the end" }
    return "line \(index + 1) of \(name) is not \(lines[0]) but \(lines[1])"
  }
}

extension Bench {
  /// Runs command lines, and writes down what they printed as a session at a terminal would show it. What went to
  /// standard error is marked with `2>`.
  func transcript(_ commandLines: [[String]]) async -> String {
    var text = ""
    for arguments in commandLines {
      let run = await run(arguments)
      text += "$ action-log " + arguments.map(Self.quoted).joined(separator: " ") + "\n" + run.output
      for line in run.messages.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        text += "2> \(line)\n"
      }
      if run.status != 0 { text += "[status \(run.status)]\n" }
      text += "\n"
    }
    return text
  }

  static func quoted(_ word: String) -> String {
    word.contains { character in " *?'\"".contains(character) } ? "'\(word)'" : word
  }
}
