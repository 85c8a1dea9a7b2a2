import BenchmarkKit
import Foundation

extension Conditions {
  /// The conditions of this moment. What a system does not say is `unknown`.
  static func current(size: String, rounds: Int) -> Conditions {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withFullDate]
    return Conditions(
      date: formatter.string(from: Date()),
      commit: firstLine(of: "/usr/bin/env", "git", "describe", "--always", "--dirty", "--abbrev=10") ?? "unknown",
      processor: processor,
      cores: ProcessInfo.processInfo.activeProcessorCount,
      memoryGibibytes: (Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded(),
      system: firstLine(of: "/usr/bin/env", "uname", "-sr") ?? "unknown",
      swift: compiler,
      flags: build,
      size: size,
      rounds: rounds
    )
  }

  private static var processor: String {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { line in line.hasPrefix("model name") }),
      let name = line.split(separator: ":").last
    else { return "unknown processor" }
    return name.trimmingCharacters(in: .whitespaces)
  }

  private static var compiler: String {
    guard let line = firstLine(of: "/usr/bin/env", "swift", "--version"), let start = line.range(of: "Swift version ")
    else { return "Swift" }
    return "Swift " + (line[start.upperBound...].split(separator: " ").first ?? "")
  }

  private static var build: String {
    #if DEBUG
    "debug build"
    #else
    "release build"
    #endif
  }

  private static func firstLine(of executable: String, _ arguments: String...) -> String? {
    guard let output = try? ChildProcess(executable: executable, arguments: arguments).output() else { return nil }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").first.map(String.init)
  }
}

extension Results {
  /// Returns the results in a file to be extended, or empty results if there is no such file.
  init(savedAt path: String?) throws {
    self = try path.map(Results.init(addingTo:)) ?? Results()
  }
}
