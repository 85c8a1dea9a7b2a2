import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

// `replay --verify`: the fold in another process, and the reports of the comparison.

/// The text report of `replay --verify`.
struct ProofPage {
  let lines: [String]

  init(_ proof: ReplayProof, model: String, style: Style) {
    let verdict = proof.isProven ? style.green("proved") : style.red("not proved")
    var table = TextTable([.left, .left])
    table.append(["folded", "twice, the second time \(proof.witness); compared at \(Self.revisions(proof))"])
    if proof.skippedActions > 0 { table.append(["skipped", Self.skipped(proof.skippedActions)]) }
    table.append([
      "digests",
      Self.agreement(proof.digestsChecked, proof.disagreements, .digest, "none to compare")
        + Self.otherSchemas(proof.digestsOfOtherSchemas),
    ])
    table.append([
      "snapshots", Self.agreement(proof.snapshotsChecked, proof.disagreements, .snapshot, "none to compare"),
    ])
    table.append(["sha-256", proof.digest.hexadecimal])
    var lines = [style.bold(TerminalText.escaping(model)) + " at revision \(proof.revision): \(verdict)"]
    lines += table.lines(indent: 2)
    lines += proof.disagreements.map { found in style.red("  ! ") + TerminalText.escaping(found.description) }
    if let damage = proof.damage { lines.append(style.red("  ! ") + TerminalText.escaping(damage.description)) }
    self.lines = lines
  }

  /// The row on skipped actions.
  static func skipped(_ count: Int) -> String {
    "\(HumanText.count(count, "action")), which a redaction excludes from replays"
  }

  /// A note on digests of other schemas; empty if there are none.
  static func otherSchemas(_ count: Int) -> String {
    count == 0 ? "" : ", \(HumanText.count(count)) of other schemas ignored"
  }

  private static func revisions(_ proof: ReplayProof) -> String {
    HumanText.count(proof.statesCompared, "state")
  }

  private static func agreement(
    _ count: Int, _ disagreements: [ReplayDisagreement], _ kind: ReplayDisagreement.Kind, _ none: String
  ) -> String {
    if count == 0 { return none }
    let first = disagreements.first { found in found.kind == kind }
    guard let first else { return "\(HumanText.count(count)) of \(HumanText.count(count)) match" }
    return "\(HumanText.count(count)) compared, different from revision \(first.revision) on"
  }
}

extension ReplayProof {
  /// The JSON report.
  func json(path: String, model: String) -> JSONObject {
    var object: JSONObject = [
      "path": .string(path), "model": .string(model), "revision": .integer(revision), "proven": .bool(isProven),
      "sha256": .string(digest.hexadecimal), "digestsChecked": .integer(digestsChecked),
      "digestsOfOtherSchemas": .integer(digestsOfOtherSchemas),
      "snapshotsChecked": .integer(snapshotsChecked), "secondFold": .string(witness),
      "statesCompared": .integer(statesCompared), "actionsFolded": .integer(actionsFolded),
      "disagreements": .array(disagreements.map(\.json)),
      "damage": damage.map { damage in .string(damage.description) } ?? .null,
    ]
    if skippedActions > 0 { object["skippedActions"] = .integer(skippedActions) }
    return object
  }
}

extension ReplayDisagreement {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "kind": .string(kind.rawValue), "revision": .integer(revision), "lastAgreement": .integer(lastAgreement),
      "byOtherCode": .bool(isByOtherCode), "message": .string(description),
    ]
    if let difference {
      object["pointer"] = .string(difference.pointer.description)
      object["first"] = difference.first
      object["second"] = difference.second
    }
    return .object(object)
  }
}

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
      ["replay", "-q", "--digests-at", points] + (withStates ? ["--states"] : []) + options + ["--", log])
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
        options: [CommandOption.model, .projection, .unknownTypes].flatMap { option in
          arguments.value(of: option).map { value in ["--" + option.name + "=" + value] } ?? []
        })
    }
  }
}
