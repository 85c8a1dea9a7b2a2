import ActionLog
import TestSupport

/// The ways in which the world of a program ends that records its store.
package enum RecordingEnd: String, Sendable, CaseIterable {
  /// The power is cut.
  case powerCut = "power-cut"
  /// The power is cut, and again while the next program opens the log.
  case powerCutInOpening = "power-cut-in-opening"
  /// The process is killed.
  case kill
  /// Calls fail now and then, and at last the power is cut.
  case faults
  /// The process is killed, and a bit of a snapshot turns over.
  case rottenSnapshot = "rotten-snapshot"
  /// The process is killed, and a bit turns over anywhere.
  case bitRot = "bit-rot"

  /// What is still promised of the log.
  var level: Knowledge.Level {
    switch self {
    case .powerCut, .powerCutInOpening, .faults: .synchronized
    case .kill, .rottenSnapshot: .written
    case .bitRot: .nothing
    }
  }

  /// Whether the log may be refused as damaged.
  var mayRefuse: Bool { self == .bitRot }

  /// What fails on the way.
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

  /// The disk as the next program finds it.
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
