import ActionLog
import ActionLogTesting
import TestSupport
import Testing

/// Every call to the disk fails once: the first, the second, and so on, until a complete run has no fault; with every error, for
/// one call and for all calls from it on.
@MainActor @Suite struct RecordingFaultTests {
  @Test(arguments: FileCall.Operation.allCases)
  func aRecordersLogSurvivesEveryFault(of operation: FileCall.Operation) async throws {
    try await loop(operation) { life in try await life.record() }
  }

  @Test(arguments: FileCall.Operation.allCases)
  func aRecordingStoresLogSurvivesEveryFault(of operation: FileCall.Operation) async throws {
    try await loop(operation) { life in try await life.recordSynchronously() }
  }

  private func loop(
    _ operation: FileCall.Operation, _ live: @MainActor (inout FaultLife) async throws -> Void
  ) async throws {
    let earlier = try await FaultLife.firstLife()
    for code in operation.errors {
      for lasts in [false, true] {
        var number = 0
        var hasFired = true
        while hasFired {
          number += 1
          var life = FaultLife(
            FileFault(operation, number: number, lasts: lasts, code: code, partialWrite: .half), after: earlier)
          try await live(&life)
          try await life.check()
          hasFired = life.hasFired
        }
      }
    }
  }
}

extension FileCall.Operation {
  /// The errors with which the call can fail: only some calls need space.
  fileprivate var errors: [FileSystemError.Code] {
    switch self {
    case .status, .names, .lock, .size, .read, .remove: [.inputOutput]
    case .createDirectory, .open, .rename, .syncDirectory, .append, .write, .truncate, .sync:
      [.inputOutput, .noSpace]
    }
  }
}
