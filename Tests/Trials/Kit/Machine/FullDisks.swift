import ActionLog
import ActionLogMaintenance
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Trials with full disks and read-only mounts.
package struct FullDisks: Sendable {
  package var context: TrialContext

  /// Creates the trials.
  package init(context: TrialContext) { self.context = context }

  /// Fills a disk with a log, frees space, and continues.
  ///
  /// - Parameter arguments: A function that returns the arguments of `mount` before the directory.
  private func fill(_ name: String, mounting arguments: (_ image: String) throws -> [String]) throws -> Goal {
    guard geteuid() == 0 else { throw Unavailable("mounting needs root") }
    let directory = try context.path("full")
    let image = try context.path("full.image")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    try Child.probe("mount", try arguments(image) + [directory])
    defer {
      // If the unmount fails, the mount remains in the temporary directory.
      do { try Child.run("umount", [directory]) } catch {}
    }
    try Data(count: 200_000).write(to: URL(fileURLWithPath: directory + "/ballast"))
    var flaws: [String] = []
    try flaws.collect { flaws in
      try use(directory + "/log", &flaws) { try FileManager.default.removeItem(atPath: directory + "/ballast") }
    }
    return Goal(
      "full disk, \(name)", wanted: "a clean error; readable; continues when there is space",
      figure: flaws.isEmpty ? "met in every case" : "\(flaws.count.counted("flaw"))", isMet: true, flaws: flaws)
  }

  private func use(_ path: String, _ flaws: inout [String], makingRoom: () throws -> Void) throws {
    let writer = try LogWriter.open(at: path, model: SimulatedLog.model, schema: 1)
    var accepted = 0
    var refusals = 0
    for _ in 0..<10_000 where refusals < 3 {
      do throws(LogError) {
        try writer.appendNow([.numbered(accepted + 1, attempt: 1, fill: 3_000)])
        accepted += 1
      } catch {
        if error.code != .noSpace { flaws.append("the error was \(error)") }
        refusals += 1
      }
    }
    if refusals == 0 { flaws.append("the disk was never full") }
    let before = try LogVerifier.verify(at: path)
    if before.lastRevision != accepted || before.verdict != .clean {
      flaws.append("full: \(before.lastRevision) of \(accepted)")
    }
    try makingRoom()
    try writer.appendNow([.numbered(accepted + 1, attempt: 1, fill: 3_000)])
    try writer.closeNow()
    let after = try LogVerifier.verify(at: path)
    if after.lastRevision != accepted + 1 || after.verdict != .clean {
      flaws.append("it did not go on: \(after.problems)")
    }
  }

  /// Runs the trial on a disk in memory.
  package func fillMemoryDisk() throws -> Goal {
    try fill("tmpfs of 1 MB") { _ in ["-t", "tmpfs", "-o", "size=1m", "tmpfs"] }
  }

  /// Runs the trial on a small disk with delayed allocation.
  package func fillLoopDisk() throws -> Goal {
    try fill("ext4 of 4 MB") { image in
      try Child.probe("truncate", ["-s", "4M", image])
      try Child.probe("mkfs.ext4", ["-q", "-F", "-O", "^has_journal", "-m", "0", image])
      return ["-o", "loop", image]
    }
  }

  /// Remounts a disk read-only while a writer has a log open.
  package func turnReadOnly() throws -> Goal {
    guard geteuid() == 0 else { throw Unavailable("mounting needs root") }
    let directory = try context.path("read-only")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    try Child.probe("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", directory])
    defer {
      do { try Child.run("umount", [directory]) } catch {}
    }
    var flaws: [String] = []
    try flaws.collect { flaws in try useReadOnly(directory, &flaws) }
    return Goal(
      "read-only disk", wanted: "a clean error; readable",
      figure: flaws.isEmpty ? "met in every case" : "\(flaws.count.counted("flaw"))",
      isMet: true, flaws: flaws)
  }

  private func useReadOnly(_ directory: String, _ flaws: inout [String]) throws {
    let path = directory + "/log"
    let writer = try LogWriter.open(at: path, model: SimulatedLog.model, schema: 1)
    for number in 1...3 { try writer.appendNow([.numbered(number, attempt: 1, fill: 10)]) }
    try writer.closeNow()
    try Child.run("mount", ["-o", "remount,ro", directory])
    do throws(LogError) {
      _ = try LogWriter.open(at: path, model: SimulatedLog.model, schema: 1)
      flaws.append("a log on a read-only disk was opened for writing")
    } catch {
      if error.code != .inputOutput { flaws.append("the error was \(error)") }
    }
    let report = try LogVerifier.verify(at: path)
    if report.verdict != .clean || report.lastRevision != 3 { flaws.append("it cannot be read: \(report.problems)") }
  }
}
