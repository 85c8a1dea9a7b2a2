/// The ways in which the simulated world ends.
package enum SimulatedFailure: String, Sendable, CaseIterable {
  /// The power is cut; what was lost reads as zeros.
  case powerCut = "power-cut"
  /// The power is cut; what was lost reads as what the blocks held before.
  case staleBlocks = "stale-blocks"
  /// The power is cut, and again during the recovery.
  case powerCutInRecovery = "power-cut-in-recovery"
  /// The process is killed.
  case kill
  /// Calls fail now and then, with full disks and failing devices among them; then the power is cut.
  case faults
  /// Calls fail in small segments, most of them around a roll, and the system may keep pages that it could not write in its
  /// cache; then the power is cut.
  case faultsAtRolls = "faults-at-rolls"
  /// As `faults`, and then the process is killed.
  case faultsThenKill = "faults-then-kill"
  /// The device says that data is durable when it is not; then the power is cut.
  case lyingSync = "lying-sync"
  /// A bit of the device turns over after a power cut.
  case bitRot = "bit-rot"

  /// What is still promised.
  package var level: Knowledge.Level {
    switch self {
    case .powerCut, .staleBlocks, .powerCutInRecovery, .faults, .faultsAtRolls: .synchronized
    case .kill, .faultsThenKill: .written
    case .lyingSync, .bitRot: .nothing
    }
  }

  /// Whether calls of the program fail.
  package var callsFail: Bool { self == .faults || self == .faultsAtRolls || self == .faultsThenKill }

  /// Whether a log may be refused as damaged: where damage is, that is the right answer.
  package var mayRefuse: Bool { self == .staleBlocks || self == .lyingSync || self == .bitRot }
}
