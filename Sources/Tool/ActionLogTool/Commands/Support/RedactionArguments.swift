import ActionLog
import ActionLogMaintenance
import JSONCoding
import TerminalUI
import TimeTravel

struct RedactionArguments {
  let context: CommandContext

  /// - Parameter texts: The positional arguments, in the form `POINT:/POINTER` or `POINT:/POINTER=JSON`.
  func targets(_ texts: [String], _ reader: LogReader) throws -> [RedactionTarget] {
    let resolver = PointResolver(context, reader: reader)
    var byRevision: [(revision: Int, text: String, replacement: ValueReplacement)] = []
    var ofBase: [ValueReplacement] = []
    // Many targets can be in one line, which is found once.
    var revisions: [String: Int] = [:]
    for text in texts {
      let (place, replacement) = try split(text)
      if place == "base" {
        if text.contains("="), let base = reader.base { try checkName(text, in: Self.record(of: base)) }
        ofBase.append(replacement)
        continue
      }
      let revision = try revisions[place] ?? action(place, resolver)
      revisions[place] = revision
      byRevision.append((revision, text, replacement))
    }
    let skipped = try Set(context.arguments.values(of: RedactCommand.skip).map { text in try action(text, resolver) })
    let indices = try reader.lineIndices(ofActions: skipped.union(byRevision.map(\.revision)))
    var values: [Int: [ValueReplacement]] = [:]
    var named: [Int: [String]] = [:]
    func add(_ replacement: ValueReplacement, _ text: String, to index: Int) {
      if text.contains("=") { named[index, default: []].append(text) }
      values[index, default: []].append(replacement)
    }
    for (revision, text, replacement) in byRevision {
      // The reader has found every revision.
      if let index = indices[revision] { add(replacement, text, to: index) }
    }
    for text in context.arguments.values(of: RedactCommand.line) {
      let (place, replacement) = try split(text)
      guard place.allSatisfy(\.isASCIIDigit), let index = Int(place) else {
        throw ToolFailure.usage("'\(place)' is not the index of a line")
      }
      add(replacement, text, to: index)
    }
    try checkNames(named, reader)
    let skippedLines = Set(skipped.compactMap { revision in indices[revision] })
    let base = ofBase.isEmpty ? [] : [RedactionTarget(index: nil, replacements: ofBase)]
    return base
      + Set(values.keys).union(skippedLines).sorted().map { index in
        RedactionTarget(index: index, replacements: values[index] ?? [], skips: skippedLines.contains(index))
      }
  }

  private func action(_ text: String, _ resolver: PointResolver) throws -> Int {
    let revision = try resolver.revision(text)
    guard revision > 0 else {
      throw ToolFailure.usage(
        "revision 0 has no action", advice: "Name its records by --line; --find prints their indices.")
    }
    return revision
  }

  private static func record(of base: LogBase) throws -> JSONValue {
    ["state": try JSONValue(parsing: base.state)]
  }

  private func checkNames(_ targets: [Int: [String]], _ reader: LogReader) throws {
    var targets = targets
    var index = reader.base?.lineCount ?? 0
    var records = try reader.records(from: 0)
    while !targets.isEmpty, let record = try records.next() {
      if let texts = targets.removeValue(forKey: index) {
        let line = try JSONValue(parsing: record.rawLine)
        for text in texts { try checkName(text, in: line) }
      }
      index += 1
    }
  }

  /// Refuses a target with `=` if the record has a value whose name contains it.
  private func checkName(_ text: String, in record: JSONValue) throws {
    guard let colon = text.firstRange(of: ":/"), text[colon.upperBound...].contains("=") else { return }
    let name = String(text[text.index(after: colon.lowerBound)...])
    guard let pointer = JSONPointer(name) else { return }
    guard record[pointer] != nil else { return }
    throw ToolFailure.usage(
      "'\(text)' can mean a value with '=' in its name, or a replacement",
      advice: "Redact the object that has the value.")
  }

  private func split(_ text: String) throws -> (place: String, replacement: ValueReplacement) {
    guard let colon = text.firstRange(of: ":/"), colon.lowerBound > text.startIndex else {
      throw ToolFailure.usage(
        "'\(text)' is not a target", advice: "It is a point and a location, for instance 12:/data/name.")
    }
    let rest = text[text.index(after: colon.lowerBound)...]
    let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let pointer = try context.pointer(String(parts[0]))
    return (
      String(text[..<colon.lowerBound]),
      ValueReplacement(pointer, with: parts.count > 1 ? Array(parts[1].utf8) : nil)
    )
  }
}
