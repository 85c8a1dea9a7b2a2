import BenchmarkKit
import Foundation

/// The peers outside of this process: programs of the same task in other languages, run on the same files.
///
/// The script `run` in their directory takes the name of a peer and of a task and prints one JSON object. Each warms up by
/// itself before it takes the time, because a just-in-time compiler would otherwise be measured half asleep.
struct Peers {
  /// The script's directory; `nil` runs none.
  var directory: String?

  /// A contender that is a peer.
  func contender(
    _ name: String, unit: String, count: Int, peer: String, task: String, agreement: String? = nil,
    roundLimit: Int? = nil,
    arguments: @escaping @MainActor () throws -> [String]
  ) -> Contender {
    Contender(name, unit: unit, count: count, agreement: agreement, roundLimit: roundLimit) {
      guard let directory else { throw Missing("peers were left out of this run") }
      let script = directory + "/run"
      guard FileManager.default.isExecutableFile(atPath: script) else { throw Missing("there is no \(script)") }
      let process = ChildProcess(executable: script, arguments: [peer, task] + (try arguments()))
      return { try process.result(RoundResult.self) }
    }
  }
}
