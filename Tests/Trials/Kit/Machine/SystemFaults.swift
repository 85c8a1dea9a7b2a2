import Foundation

/// Injects failures into the system calls of a running process with `strace`.
package struct SystemFaults: Sendable {
  package var context: TrialContext

  /// Creates the trials.
  package init(context: TrialContext) { self.context = context }

  /// The injected faults, and how the writer must end.
  ///
  /// With an injected result, `strace` performs no write, so 0 is the only truthful count.
  private static let faults: [(injection: String, end: String)] = [
    ("write:error=EINTR:when=3", "done"), ("write:error=EINTR:when=3..60", "done"),
    ("write:error=EIO:when=3", "rejected"), ("write:error=ENOSPC:when=3", "noSpace"),
    ("write:retval=0:when=3", "rejected"), ("write:retval=0:when=3+", "rejected"),
    ("fdatasync:error=EIO:when=4", "failed"), ("fdatasync:error=ENOSPC:when=5", "failed"),
    ("fdatasync:error=EDQUOT:when=5", "failed"), ("fdatasync:error=EINTR:when=5", "failed"),
    ("pwrite64:error=EIO:when=3", "done"), ("pwrite64:error=EINTR:when=3", "done"),
    ("pwrite64:retval=5:when=3", "done"), ("fsync:error=EIO:when=1", "inputOutput"),
    ("fsync:error=EIO:when=2", "inputOutput"), ("getdents64:error=EINTR:when=1", "done"),
    ("openat:error=EINTR:when=1..9", "done"),
  ]

  /// Returns the path that a fault is limited to; `nil` for all paths.
  private static func path(of injection: String, _ log: String) -> String? {
    // The process also writes to its output.
    if injection.hasPrefix("write:") { return log + "/0000000000000001.jsonl" }
    // The system's loader also opens files, and does not retry.
    return injection.hasPrefix("openat:") ? log : nil
  }

  /// Runs a writer under each fault.
  package func run() throws -> Goal {
    // If processes cannot be traced, `strace` fails with every program.
    try Child.probe("strace", ["-qq", "-o", try context.path("probe.trace"), "true"])
    let strace = try Child.tool("strace")
    var flaws: [String] = []
    try flaws.collect { flaws in
      for (injection, end) in Self.faults {
        let path = try context.path("traced")
        let trace = path + ".trace"
        let only = Self.path(of: injection, path).map { path in ["-P", path] } ?? []
        let child = try Child(
          strace,
          ["-f", "-y", "-qq", "-o", trace, "-e", "inject=\(injection)"] + only + [
            context.executable, "child", "write", path, "12",
          ])
        let status = child.wait()
        let last = status == 0 ? "done" : child.lines.last ?? "nothing"
        guard let ends = try Self.ends(end, whereInjected: trace) else {
          flaws.append("\(injection): the fault was not injected")
          continue
        }
        if !ends.contains(last) { flaws.append("\(injection): the writer ended with \(last), not \(end)") }
        let acknowledged = child.lines.compactMap(Int.init).last ?? 0
        if let flaw = MachineLog.look(path, atLeast: acknowledged).flaw { flaws.append("\(injection): \(flaw)") }
      }
    }
    return Goal(
      "failing system calls", wanted: "each hits; 0 lost, no silent continuation",
      figure: "\(Self.faults.count) injections, \(flaws.count.counted("flaw"))", isMet: !Self.faults.isEmpty,
      flaws: flaws)
  }

  /// Returns the allowed ends of the writer. The sizes of its batches are random, so the failing call can belong to
  /// another segment.
  ///
  /// - Parameter trace: The output of `strace`, with the path of each file.
  /// - Returns: `nil` if no call failed, so nothing was tried.
  package static func ends(_ end: String, whereInjected trace: String) throws -> Set<String>? {
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    guard let injected = lines.first(where: { line in line.hasSuffix("(INJECTED)") }) else { return nil }
    // If a segment could not be created, none of its actions are in the log.
    return injected.contains(".jsonl.new>") ? [end, "rejected", "noSpace"] : [end]
  }
}
