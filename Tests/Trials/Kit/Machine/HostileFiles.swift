import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files that nobody wrote by accident, read by a process with little memory and time.
package struct HostileFiles: Sendable {
  package var context: TrialContext

  /// Makes the trial.
  package init(context: TrialContext) { self.context = context }

  /// The address space that a reader gets: four times the longest line, and 400 MiB for the runtime and its libraries.
  private static let addressLimitMiB = 4 * 16 + 400
  /// The memory that it may use: four times the longest line and 64 MiB.
  private static let memoryLimitKiB = (4 * 16 + 64) * 1_024
  /// Seconds of processor time.
  private static let timeLimitSeconds = 60

  /// The files by name, and what a segment holds: full size, divided by a number.
  private static let contents: [(name: String, bytes: @Sendable (Int) -> Data)] = [
    ("no line feed", { part in Data(repeating: UInt8(ascii: "x"), count: 100_000_000 / part) }),
    ("line feeds only", { part in Data(repeating: 10, count: 20_000_000 / part) }),
    ("zeros", { part in Data(count: 50_000_000 / part) }),
    (
      "deep nesting",
      { part in Data(#"{"seq":0,"data":"#.utf8) + Data(repeating: UInt8(ascii: "["), count: 1_000_000 / part) }
    ),
    ("huge number", { part in Data(("{\"seq\":" + String(repeating: "9", count: 1_000_000 / part) + "}\n").utf8) }),
    (
      "many names",
      { part in Data(("{" + (0..<1_000_000 / part).map { "\"\($0)\":0" }.joined(separator: ",") + "}\n").utf8) }
    ),
    (
      "commit marks only",
      { part in Data(String(repeating: ",\"crc\":\"00000000\"}\n", count: 1_000_000 / part).utf8) }
    ),
    ("invalid UTF-8", { part in Data(repeating: 0xFF, count: 1_000_000 / part) + Data([10]) }),
  ]

  /// Less than a hundredth of the programme has smaller files and a fifth of the long lines, so that it suits a test run.
  private var isShort: Bool { context.share < 0.01 }

  /// Reads each file in a process of its own.
  package func run() throws -> Goal {
    // What fails under the limits with a program of the system says nothing about ours.
    try Child.probe("prlimit", Self.limits + ["true"])
    var flaws: [String] = []
    var (peakKiB, readings) = (0, 0)
    try flaws.collect { flaws in
      let good = try context.path("good")
      try Child.run(context.executable, ["child", "write", good, "3"])
      let header = try Data(contentsOf: URL(fileURLWithPath: good + "/0000000000000001.jsonl"))
      func read(_ bytes: Data, _ name: String, isLog: Bool) throws {
        let path = try context.path("hostile")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let segment = URL(fileURLWithPath: path + "/0000000000000001.jsonl")
        try bytes.write(to: segment)
        for place in [path, segment.path] {
          peakKiB = max(peakKiB, try self.read(place, name, isLog: isLog, &flaws))
          readings += 1
        }
        try FileManager.default.removeItem(at: segment)
      }
      for (name, bytes) in Self.contents {
        for prefix in [Data(), header] { try read(prefix + bytes(isShort ? 20 : 1), name, isLog: false) }
      }
      guard let lines = HostileLines(after: header)?.lines else {
        flaws.append("the writer left no log to begin with")
        return
      }
      for (index, line) in lines.enumerated() where !isShort || (UInt64(index) &+ context.seed) % 5 == 0 {
        try read(header + line.contents(), line.name, isLog: true)
      }
      readings += try readSpecialFiles(&flaws)
    }
    return Goal(
      "hostile files", wanted: "no trap; ≤ \(Self.memoryLimitKiB / 1_024) MiB; ≤ \(Self.timeLimitSeconds) s",
      figure: "\(readings) readings, at most \(peakKiB / 1_024) MiB, \(flaws.count) flaws",
      isMet: peakKiB > 0, flaws: flaws)
  }

  /// The options of `prlimit`.
  private static let limits = ["--as=\(addressLimitMiB << 20)", "--cpu=\(timeLimitSeconds)"]

  /// Pipes, devices, symbolic links and directories where files should be.
  ///
  /// - Returns: How many.
  private func readSpecialFiles(_ flaws: inout [String]) throws -> Int {
    let makers: [(String, @Sendable (String) -> Int32)] = [
      ("a pipe", { path in mkfifo(path, 0o600) }),
      ("a link to a device", { path in symlink("/dev/zero", path) }),
      ("a link to itself", { path in symlink(path, path) }),
      ("a directory", { path in mkdir(path, 0o700) }),
      ("a link to a file", { path in symlink("/etc/passwd", path) }),
    ]
    for (name, make) in makers {
      let path = try context.path("strange")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      guard make(path + "/0000000000000001.jsonl") == 0 else {
        flaws.append("\(name) cannot be made")
        continue
      }
      _ = try read(path, name, isLog: false, &flaws)
    }
    return makers.count
  }

  /// - Parameter isLog: Whether what lies there is a good log, or no log.
  /// - Returns: The peak of the child's memory.
  private func read(_ path: String, _ name: String, isLog: Bool, _ flaws: inout [String]) throws -> Int {
    let child = try Child(
      try Child.tool("prlimit"), Self.limits + [context.executable, "child", "verify", path])
    let status = child.wait()
    let peakKiB = child.lines.last.flatMap(Int.init) ?? 0
    if status != 0 { flaws.append("\(name): the reader ended with \(status): \(child.lines)") }
    if peakKiB > Self.memoryLimitKiB { flaws.append("\(name): \(peakKiB) KiB") }
    if (child.lines.first == "clean") != isLog { flaws.append("\(name): taken for \(child.lines.first ?? "nothing")") }
    return peakKiB
  }
}
