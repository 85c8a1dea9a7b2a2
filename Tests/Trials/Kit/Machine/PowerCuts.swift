import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Cuts the power of a real file system: shuts down the mount of a loop device without flushing its journal while a
/// process writes to it, and mounts it again.
///
/// Only actions acknowledged before the cut are judged. The trial needs Linux, root and loop devices.
package struct PowerCuts: Sendable {
  /// A file system that can be shut down.
  package enum Kind: String, Sendable, CaseIterable {
    case ext4, xfs

    /// The minimum size of XFS is larger.
    fileprivate var imageMiB: Int { self == .ext4 ? 64 : 320 }
    fileprivate var makeArguments: [String] { self == .ext4 ? ["-q", "-F"] : ["-q", "-f"] }
  }

  package var kind: Kind
  /// The number of cuts.
  package var cuts: Int
  package var context: TrialContext
  /// Whether the writer prints actions before they are durable, which must be caught.
  package var isControl: Bool

  /// Creates a loop.
  package init(kind: Kind, cuts: Int, context: TrialContext, isControl: Bool = false) {
    self.kind = kind
    self.cuts = cuts
    self.context = context
    self.isControl = isControl
  }

  /// The number of cuts before a new log, so that the disk does not become full.
  private static let cutsPerLog = 10

  /// The intermediate results of the loop.
  private struct Tally {
    var flaws: [(cut: Int, flaw: Flaw)] = []
    var torn = 0
    /// The number of cuts after something was acknowledged.
    var telling = 0
    /// The last revision after the last cut.
    var last = 0
  }

  /// Runs the loop on a new disk.
  ///
  /// - Throws: ``Unavailable`` if this machine cannot run it.
  package func run() throws -> Goal {
    guard geteuid() == 0 else { throw Unavailable("mounting needs root") }
    let mount = try Mount(kind, context)
    defer { mount.remove() }
    return try run(on: mount)
  }

  /// Runs the loop on a disk. A failure of the disk after the first cut is one more flaw.
  ///
  /// - Throws: ``Unavailable`` if the power of the disk cannot be cut.
  package func run(on disk: some CuttableDisk) throws -> Goal {
    var generator = SeededGenerator(seed: context.seed)
    var tally = Tally()
    for cut in 0..<cuts {
      do { try self.cut(cut, disk, &generator, &tally) } catch let reason as Unavailable where cut == 0 {
        throw reason
      } catch {
        tally.flaws.append((cut, .failed("the trial ended early: \(error)")))
        break
      }
      if cut % 100 == 99 { context.tell("\(kind.rawValue): cut \(cut + 1) of \(cuts)") }
    }
    return goal(tally.flaws, torn: tally.torn, telling: tally.telling)
  }

  private func cut(
    _ cut: Int, _ disk: some CuttableDisk, _ generator: inout SeededGenerator, _ tally: inout Tally
  ) throws {
    let path = disk.directory + "/log"
    if cut % Self.cutsPerLog == 0 {
      try Child.run("rm", ["-rf", path])
      tally.last = 0
    }
    let role = isControl ? ChildRole.writeHasty : .write
    let child = try Child(context.executable, ["child", role.rawValue, path])
    // The first line is the revision at which the writer begins; the second one shows that an action is durable.
    child.waitForLines(Int.random(in: 2...15, using: &generator))
    usleep(UInt32.random(in: 0...3_000, using: &generator))
    let account = WriterAccount(child.lines, mustFind: tally.last)
    let wasRunning = child.isRunning
    defer { if child.isRunning { child.killNow() } }
    try disk.shutDown()
    child.killNow()
    try disk.mountAgain()
    if !wasRunning { tally.flaws.append((cut, .failed("the writer ended by itself"))) }
    if let flaw = account.flaw { tally.flaws.append((cut, .failed(flaw))) }
    if account.hasAcknowledged { tally.telling += 1 }
    let (found, wasTorn, flaw) = MachineLog.look(path, atLeast: account.last)
    tally.last = found
    if wasTorn { tally.torn += 1 }
    if let flaw {
      tally.flaws.append((cut, flaw))
      try Child.run("rm", ["-rf", path])
      tally.last = 0
    }
  }

  /// Returns the result of the loop.
  ///
  /// The control is only caught by lost actions; every other flaw is a flaw of the control, too.
  ///
  /// - Parameters:
  ///   - flaws: The flaws, each with the number of its cut.
  ///   - telling: The number of cuts after something was acknowledged, which must be at least half of them.
  package func goal(_ flaws: [(cut: Int, flaw: Flaw)], torn: Int, telling: Int) -> Goal {
    let losses = flaws.count { _, flaw in flaw.isLoss }
    let figure =
      "\(cuts) cuts, \(telling) after something was acknowledged, \(torn) torn tails truncated, \(losses) losses"
    let isTelling = telling * 2 >= cuts
    let shown = flaws.filter { _, flaw in !isControl || !flaw.isLoss }.map { cut, flaw in "cut \(cut): \(flaw)" }
    let name = "power cuts, \(kind.rawValue)"
    return isControl
      ? Goal(
        name + ", control", wanted: "a writer that does not wait is caught", figure: figure,
        isMet: losses > 0 && isTelling, flaws: shown)
      : Goal(
        name, wanted: "0 lost; acknowledged something before half of the cuts", figure: figure, isMet: isTelling,
        flaws: shown)
  }
}

/// A disk whose power can be cut.
package protocol CuttableDisk {
  /// The mount point.
  var directory: String { get }
  /// Cuts the power.
  func shutDown() throws
  /// Mounts the disk after a cut.
  func mountAgain() throws
}

/// A file system in a file, mounted through a loop device.
private final class Mount: CuttableDisk {
  let directory: String
  private let image: String
  private let kind: PowerCuts.Kind

  init(_ kind: PowerCuts.Kind, _ context: TrialContext) throws {
    self.kind = kind
    image = try context.path("\(kind.rawValue).image")
    directory = try context.path("\(kind.rawValue).mount")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    try Child.probe("truncate", ["-s", "\(kind.imageMiB)M", image])
    try Child.probe("mkfs.\(kind.rawValue)", kind.makeArguments + [image])
    try Child.probe("mount", ["-o", "loop", image, directory])
  }

  /// Shuts down the file system without flushing its journal: `XFS_IOC_GOINGDOWN`, which ext4 also supports.
  func shutDown() throws {
    #if os(Linux)
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unavailable("the mount cannot be opened") }
    defer { close(descriptor) }
    // Swift cannot call variadic C functions. On Linux, a call through a pointer with three fixed parameters uses the
    // same registers.
    typealias Control = @convention(c) (Int32, UInt, UnsafeMutableRawPointer) -> Int32
    guard let symbol = dlsym(nil, "ioctl") else { throw Unavailable("there is no ioctl") }
    let control = unsafeBitCast(symbol, to: Control.self)
    var withoutFlushing: UInt32 = 2
    guard control(descriptor, 0x8004_587D, &withoutFlushing) == 0 else {
      throw Unavailable("the file system cannot be shut down")
    }
    #else
    throw Unavailable("only Linux can shut a file system down")
    #endif
  }

  /// A process that another trial starts has copies of all descriptors of this one between its fork and its exec, also of files below
  /// the mount, which is busy for that moment: on a machine with nine builds, the unmount failed once.
  private func unmount() throws {
    for attempt in 1... {
      do { return try Child.run("umount", [directory]) } catch {
        guard attempt < 50 else { throw error }
        usleep(100_000)
      }
    }
  }

  /// Mounts the disk after a cut.
  func mountAgain() throws {
    try unmount()
    try Child.run("mount", ["-o", "loop", image, directory])
  }

  func remove() {
    // If the unmount fails, the mount remains in the temporary directory.
    do {
      try unmount()
      try FileManager.default.removeItem(atPath: image)
    } catch {}
  }
}
