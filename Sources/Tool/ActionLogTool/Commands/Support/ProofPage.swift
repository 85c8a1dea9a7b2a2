import EventSourcing
import JSONCoding
import TextDisplay
import TimeTravel

/// The report of `replay --verify`, for people.
struct ProofPage {
  let lines: [String]

  init(_ proof: ReplayProof, model: String, style: Style) {
    let verdict = proof.isProven ? style.green("proved") : style.red("not proved")
    var table = TextTable([.left, .left])
    table.append(["folded", "twice, the second time \(proof.witness); compared at \(Self.revisions(proof))"])
    table.append([
      "digests",
      Self.agreement(proof.digestsChecked, proof.disagreements, .digest, "none to compare")
        + Self.otherSchemas(proof.digestsOfOtherSchemas),
    ])
    table.append([
      "snapshots", Self.agreement(proof.snapshotsChecked, proof.disagreements, .snapshot, "none to compare"),
    ])
    table.append(["state", "sha-256 \(proof.digest.hexadecimal)"])
    var lines = [style.bold(TerminalText.escaping(model)) + " at revision \(proof.revision): \(verdict)"]
    lines += table.lines(indent: 2)
    lines += proof.disagreements.map { found in style.red("  ! ") + TerminalText.escaping(found.description) }
    if let damage = proof.damage { lines.append(style.red("  ! ") + TerminalText.escaping(damage.description)) }
    self.lines = lines
  }

  /// What is said of digests of states that had another shape; empty when there are none.
  static func otherSchemas(_ count: Int) -> String {
    count == 0 ? "" : ", \(HumanText.count(count)) of other schemas passed over"
  }

  private static func revisions(_ proof: ReplayProof) -> String {
    HumanText.count(proof.statesCompared, "state")
  }

  private static func agreement(
    _ count: Int, _ disagreements: [ReplayDisagreement], _ kind: ReplayDisagreement.Kind, _ none: String
  ) -> String {
    if count == 0 { return none }
    let first = disagreements.first { found in found.kind == kind }
    guard let first else { return "\(HumanText.count(count)) of \(HumanText.count(count)) agree" }
    return "\(HumanText.count(count)) compared, they differ from revision \(first.revision) on"
  }
}

extension ReplayProof {
  /// The report for programs.
  func json(path: String, model: String) -> JSONValue {
    [
      "path": .string(path), "model": .string(model), "revision": .integer(revision), "proven": .bool(isProven),
      "sha256": .string(digest.hexadecimal), "digestsChecked": .integer(digestsChecked),
      "digestsOfOtherSchemas": .integer(digestsOfOtherSchemas),
      "snapshotsChecked": .integer(snapshotsChecked), "secondFold": .string(witness),
      "statesCompared": .integer(statesCompared), "actionsFolded": .integer(actionsFolded),
      "disagreements": .array(disagreements.map(\.json)),
      "damage": damage.map { damage in .string(damage.description) } ?? .null,
    ]
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
