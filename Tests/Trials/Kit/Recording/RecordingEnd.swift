import ActionLog
import TestSupport

/// The ways in which a program that records its store ends.
package enum RecordingEnd: String, Sendable, CaseIterable {
  /// The power is cut.
  case powerCut = "power-cut"
  /// The power is cut, and again while the next program opens the log.
  case powerCutInOpening = "power-cut-in-opening"
  /// The process is killed.
  case kill
  /// Calls fail at random, and finally the power is cut.
  case faults
  /// The process is killed, and a bit of a snapshot flips.
  case rottenSnapshot = "rotten-snapshot"
  /// The process is killed, and any bit flips.
  case bitRot = "bit-rot"

  /// The contents of the log that are still promised.
  var level: Knowledge.Level {
    switch self {
    case .powerCut, .powerCutInOpening, .faults: .synchronized
    case .kill, .rottenSnapshot: .written
    case .bitRot: .nothing
    }
  }

  /// Whether the log may be refused as damaged.
  var mayRefuse: Bool { self == .bitRot }

  /// Returns the failures during the run.
  func faults(_ generator: inout SeededGenerator) -> [Fault] {
    guard self == .faults else { return [] }
    return (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      let operations: [FileCall.Operation?] = [
        .append, .append, .sync, .truncate, .rename, .write, .remove, .syncDirectory, .read, nil,
      ]
      let codes: [FileSystemError.Code] = [.noSpace, .inputOutput, .fileTooLarge, .readOnlyFileSystem]
      return Fault(
        operations.randomElement(using: &generator) ?? nil, number: Int.random(in: 1...40, using: &generator),
        code: codes.randomElement(using: &generator) ?? .noSpace,
        partialWrite: [.none, .half, .all].randomElement(using: &generator) ?? .none,
        losesData: Bool.random(using: &generator))
    }
  }

  /// Returns the disk of the next program.
  func leftovers(of disk: MemoryFileSystem, _ generator: inout SeededGenerator) -> MemoryFileSystem {
    switch self {
    case .powerCut, .powerCutInOpening, .faults: return disk.crash(CrashModel.drawn(&generator, stale: false))
    case .kill: return disk.copy()
    case .rottenSnapshot:
      let left = disk.copy()
      left.rot(&generator) { path in path.contains("/snapshots/") }
      return left
    case .bitRot:
      let left = disk.copy()
      left.rot(&generator)
      return left
    }
  }
}
