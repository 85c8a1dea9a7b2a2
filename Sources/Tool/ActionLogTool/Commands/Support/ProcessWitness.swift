import ActionLog
import EventSourcing
import JSONCoding

/// A second fold by the same program in another process.
struct ProcessWitness: ReplayWitness {
  let rerun: @Sendable ([String]) throws -> [UInt8]
  /// The path of the log.
  let log: String
  /// The options for the model and its policy.
  let options: [String]

  var place: String { "in another process" }

  func digests(at revisions: [Int]) throws -> [StateDigest] {
    try lines(at: revisions, withStates: false).map { object in
      guard case .string(let text)? = object["sha256"] else { throw Self.misunderstanding }
      return StateDigest(hexadecimal: text)
    }
  }

  func canonicalState(at revision: Int) throws -> [UInt8] {
    guard let state = try lines(at: [revision], withStates: true).first?["state"] else { throw Self.misunderstanding }
    return state.bytes(.canonical)
  }

  private func lines(at revisions: [Int], withStates: Bool) throws -> [JSONObject] {
    let points = revisions.map(String.init).joined(separator: ",")
    let output = try rerun(
      ["replay", "--digests-at", points] + (withStates ? ["--states"] : []) + options + ["--", log])
    return try output.split(separator: 0x0A).map { line in
      guard case .object(let object) = try JSONValue(parsing: line) else { throw Self.misunderstanding }
      return object
    }
  }

  private static var misunderstanding: ToolFailure {
    ToolFailure("secondFold", .environment, "the second process returned an unexpected answer")
  }
}

extension CommandContext {
  /// A second fold of a log in another process; `nil` if there is no program to run.
  func witness(_ path: String) -> ProcessWitness? {
    environment.rerun.map { rerun in
      ProcessWitness(
        rerun: rerun,
        log: path,
        options: [CommandOption.model, .unknownTypes].flatMap { option in
          arguments.value(of: option).map { value in ["--" + option.name + "=" + value] } ?? []
        })
    }
  }
}
