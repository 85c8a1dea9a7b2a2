import ActionLog
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads hostile files in a process with limited memory and time.
package struct HostileFiles: Sendable {
  package var context: TrialContext

  /// Creates the trial.
  package init(context: TrialContext) { self.context = context }

  /// The address space of a reader: four times the longest line, and 400 MiB for the runtime and its libraries.
  private static let addressLimitMiB = 4 * 16 + 400
  /// The memory limit: four times the longest line, and 64 MiB.
  private static let memoryLimitKiB = (4 * 16 + 64) * 1_024
  /// The limit of processor time in seconds.
  private static let timeLimitSeconds = 60

  /// The name and the segment of each file: full size, divided by a number.
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

  /// At less than a hundredth of the full size, files are smaller and only a fifth of the long lines is used, to suit a
  /// test run.
  private var isShort: Bool { context.share < 0.01 }

  /// Reads each file in a separate process.
  package func run() throws -> Goal {
    // If a system tool fails under the limits, a failure of our program would be meaningless.
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
      figure: "\(readings) readings, at most \(peakKiB / 1_024) MiB, \(flaws.count.counted("flaw"))",
      isMet: peakKiB > 0, flaws: flaws)
  }

  /// The options of `prlimit`.
  private static let limits = ["--as=\(addressLimitMiB << 20)", "--cpu=\(timeLimitSeconds)"]

  /// Reads pipes, devices, symbolic links and directories in the place of files.
  ///
  /// - Returns: The number of readings.
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
        flaws.append("\(name) cannot be created")
        continue
      }
      _ = try read(path, name, isLog: false, &flaws)
    }
    return makers.count
  }

  /// Reads a path in a child process.
  ///
  /// - Parameter isLog: Whether there is an intact log at the path, or no log.
  /// - Returns: The peak memory of the child.
  private func read(_ path: String, _ name: String, isLog: Bool, _ flaws: inout [String]) throws -> Int {
    let child = try Child(
      try Child.tool("prlimit"), Self.limits + [context.executable, "child", "verify", path])
    let status = child.wait()
    let peakKiB = child.lines.last.flatMap(Int.init) ?? 0
    if status != 0 { flaws.append("\(name): the reader ended with \(status): \(child.lines)") }
    if peakKiB > Self.memoryLimitKiB { flaws.append("\(name): \(peakKiB) KiB") }
    if (child.lines.first == "clean") != isLog {
      flaws.append("\(name): verified as \(child.lines.first ?? "nothing")")
    }
    return peakKiB
  }
}

/// Valid lines of the maximum length that cost their readers much memory and time.
struct HostileLines {
  /// A line with its name.
  struct Line {
    var name: String
    var contents: @Sendable () -> [UInt8]
  }

  private let revision: Int
  private let prev: String

  /// Creates the lines that follow a segment.
  ///
  /// - Returns: `nil` if the segment does not end with a line.
  init?(after segment: Data) {
    let last = segment.dropLast().split(separator: 10).last.map { line in String(decoding: line, as: UTF8.self) } ?? ""
    guard
      let revision = last.dropFirst(#"{"seq":"#.count).split(separator: ",").first.flatMap({ number in Int(number) })
    else { return nil }
    self.revision = revision
    prev = String(last.suffix(10).prefix(8))
  }

  /// The lines.
  var lines: [Line] {
    [
      line("numbers in meta") { #""data":{},"meta":{"cause":1,"n":[\#(numbers)0]}"# },
      line("numbers in data") { #""data":{"n":[\#(numbers)0]}"# },
      line("numbers in data, with white space") { #""data":{"n":[ \#(numbers)0]}"# },
      line("lists in meta") { #""data":{},"meta":{"cause":1,"n":[\#(filled(with: "[],"))0]}"# },
      line("numbers in an unknown member") { #""data":{},"other":[\#(numbers)0]"# },
      line("names in data") { #""data":{\#(names),"n":0}"# },
      line("names in meta") { #""data":{},"meta":{"cause":1,\#(names)}"# },
      line("unknown members") { #""data":{},\#(names)"# },
      line("names with escapes") { #""data":{\#(escapedNames),"n":0}"# },
      line("numbers in a control record", type: "@open") { #""data":{"epoch":9,"schema":1,"n":[\#(numbers)0]}"# },
    ]
  }

  private func line(
    _ name: String, type: String = "_", _ members: @escaping @Sendable () -> String
  ) -> Line {
    let revision = type.hasPrefix("@") ? revision : revision + 1
    let envelope =
      #"{"seq":\#(revision),"time":"2026-11-22T00:00:00.000000Z","type":"\#(type)","synced":\#(self.revision),"#
    return Line(name: name) { [prev] in
      var bytes = Array((envelope + #""prev":"\#(prev)","# + members()).utf8)
      CommitMark.append(to: &bytes)
      return bytes
    }
  }
}

/// The length of the additional members of a line.
private let sizeBytes = LogFormat.lineLimitBytes - 1_000

private func filled(with unit: String) -> String { String(repeating: unit, count: sizeBytes / unit.utf8.count) }

/// The densest JSON: two bytes per value.
private var numbers: String { filled(with: "0,") }

/// As many names as fit, none of them in sorted position.
private var names: String {
  (0..<sizeBytes / 9).reversed().map { number in #""\#(letters(number))":0"# }.joined(separator: ",")
}

/// Names with escapes, which must be decoded.
private var escapedNames: String {
  (0..<sizeBytes / 15).reversed().map { number in #""\u0061\#(letters(number))":0"# }.joined(separator: ",")
}

/// Returns four letters for a number.
private func letters(_ number: Int) -> String {
  let letters = (0..<4).map { place in UInt8(ascii: "@") + UInt8((number >> (6 * place)) & 63) }
  // One of these 64 characters is a backslash.
  return String(
    decoding: letters.map { letter in letter == UInt8(ascii: "\\") ? UInt8(ascii: "0") : letter }, as: UTF8.self)
}
