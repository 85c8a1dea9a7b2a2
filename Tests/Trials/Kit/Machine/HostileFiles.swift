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

  /// The files by name: what a segment holds.
  private static let contents: [(name: String, bytes: @Sendable () -> Data)] = [
    ("no line feed, 100 MB", { Data(repeating: UInt8(ascii: "x"), count: 100_000_000) }),
    ("line feeds only, 20 MB", { Data(repeating: 10, count: 20_000_000) }),
    ("zeros, 50 MB", { Data(count: 50_000_000) }),
    ("depth 10⁶", { Data(#"{"seq":0,"data":"#.utf8) + Data(repeating: UInt8(ascii: "["), count: 1_000_000) }),
    ("huge number", { Data(("{\"seq\":" + String(repeating: "9", count: 1_000_000) + "}\n").utf8) }),
    ("a million names", { Data(("{" + (0..<1_000_000).map { "\"\($0)\":0" }.joined(separator: ",") + "}\n").utf8) }),
    ("commit marks only, 20 MB", { Data(String(repeating: ",\"crc\":\"00000000\"}\n", count: 1_000_000).utf8) }),
    ("invalid UTF-8", { Data(repeating: 0xFF, count: 1_000_000) + Data([10]) }),
  ]

  /// Reads each file in a child of its own.
  package func run() throws -> Goal {
    var flaws: [String] = []
    var (peakKiB, readings) = (0, 0)
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
      for prefix in [Data(), header] { try read(prefix + bytes(), name, isLog: false) }
    }
    guard let lines = HostileLines(after: header)?.lines else { throw Unavailable("there is no log to begin with") }
    for line in lines { try read(header + line.contents(), line.name, isLog: true) }
    readings += try readStrangeThings(&flaws)
    return Goal(
      "hostile files", wanted: "no trap; ≤ \(Self.memoryLimitKiB / 1_024) MiB; ≤ \(Self.timeLimitSeconds) s",
      figure: "\(readings) readings, at most \(peakKiB / 1_024) MiB, \(flaws.count) flaws",
      isMet: peakKiB > 0, flaws: flaws)
  }

  /// Pipes, devices, symbolic links and directories where files should be.
  ///
  /// - Returns: How many.
  private func readStrangeThings(_ flaws: inout [String]) throws -> Int {
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
      guard make(path + "/0000000000000001.jsonl") == 0 else { throw Unavailable("\(name) cannot be made") }
      _ = try read(path, name, isLog: false, &flaws)
    }
    return makers.count
  }

  /// - Parameter isLog: Whether what lies there is a good log, or no log.
  /// - Returns: The peak of the child's memory.
  private func read(_ path: String, _ name: String, isLog: Bool, _ flaws: inout [String]) throws -> Int {
    let child = try Child(
      "/usr/bin/env",
      [
        "prlimit", "--as=\(Self.addressLimitMiB << 20)", "--cpu=\(Self.timeLimitSeconds)", context.executable, "child",
        "verify", path,
      ])
    let status = child.wait()
    if status == 127 { throw Unavailable("there is no prlimit") }
    let peakKiB = child.lines.last.flatMap(Int.init) ?? 0
    if status != 0 { flaws.append("\(name): the reader ended with \(status): \(child.lines)") }
    if peakKiB > Self.memoryLimitKiB { flaws.append("\(name): \(peakKiB) KiB") }
    if (child.lines.first == "clean") != isLog { flaws.append("\(name): taken for \(child.lines.first ?? "nothing")") }
    return peakKiB
  }
}
