import Foundation

/// System calls that fail in a running process, by the hand of `strace`.
package struct SystemFaults: Sendable {
  package var context: TrialContext

  /// Makes the trials.
  package init(context: TrialContext) { self.context = context }

  /// What is injected into which call, and how the writer must end.
  private static let faults: [(injection: String, end: String)] = [
    ("fdatasync:error=EIO:when=4", "failed"), ("fdatasync:error=ENOSPC:when=5", "failed"),
    ("fdatasync:error=EDQUOT:when=5", "failed"), ("fdatasync:error=EINTR:when=5", "failed"),
    ("pwrite64:error=EIO:when=3", "done"), ("pwrite64:error=EINTR:when=3", "done"),
    ("pwrite64:retval=5:when=3", "done"), ("fsync:error=EIO:when=1", "inputOutput"),
    ("fsync:error=EIO:when=2", "inputOutput"),
  ]

  /// Runs a writer under each fault.
  package func run() throws -> Goal {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else {
      throw Unavailable("there is no strace")
    }
    var flaws: [String] = []
    for (injection, end) in Self.faults {
      let path = try context.path("traced")
      let trace = path + ".trace"
      let child = try Child(
        "/usr/bin/strace",
        [
          "-f", "-y", "-qq", "-o", trace, "-e", "inject=\(injection)", context.executable, "child", "write", path, "12",
        ])
      let status = child.wait()
      let last = status == 0 ? "done" : child.lines.last ?? "nothing"
      if try !Self.ends(end, whereInjected: trace).contains(last) {
        flaws.append("\(injection): the writer ended with \(last), not \(end)")
      }
      let acknowledged = child.lines.compactMap(Int.init).last ?? 0
      if let flaw = MachineLog.look(path, atLeast: acknowledged).flaw { flaws.append("\(injection): \(flaw)") }
    }
    return Goal(
      "failing system calls", wanted: "0 lost, no silent going on",
      figure: "\(Self.faults.count) injections, \(flaws.count) flaws", isMet: true, flaws: flaws)
  }

  /// How the writer may end: the sizes of its batches are drawn, so the call that fails can be another segment's.
  ///
  /// - Parameter trace: What `strace` wrote down, with the path of each file.
  private static func ends(_ end: String, whereInjected trace: String) throws -> Set<String> {
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    guard let injected = lines.first(where: { line in line.hasSuffix("(INJECTED)") }) else { return ["done"] }
    // Nothing of a segment that could not be made is in the log.
    return injected.contains(".jsonl.new>") ? [end, "rejected", "noSpace"] : [end]
  }
}
