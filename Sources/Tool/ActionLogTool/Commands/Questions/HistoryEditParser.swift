import ActionLog
import JSONCoding
import TimeTravel

/// The edits of a history as they are typed: `--skip 5-8`, `--replace 5=ACTION`, `--insert 5=ACTION`, `--move 5=9`.
struct HistoryEditParser {
  static let skip = CommandOption.value("skip", "N[-M]", isRepeatable: true, "had these actions not happened")
  static let replace = CommandOption.value(
    "replace", "N=ACTION", isRepeatable: true, "had this action happened instead of action N")
  static let insert = CommandOption.value(
    "insert", "N=ACTION", isRepeatable: true, "had this action happened behind revision N (0: before any)")
  static let move = CommandOption.value(
    "move", "N=M", isRepeatable: true, "had action N happened behind revision M")

  static let options = [skip, replace, insert, move]

  /// What can be written, for help.
  static let forms = """
    N and M are points of the log as it is: several edits do not shift each other. Several actions behind one revision happen in
    the order --insert, --move, each as typed. An ACTION is a type, with its data behind a space if it has some
    ('5=rename {"id":3}'), or a line as 'record' takes it ('5={"type":"rename","data":{"id":3}}').
    """

  private let arguments: ParsedArguments
  private let resolver: PointResolver

  init(_ context: CommandContext, reader: LogReader) {
    arguments = context.arguments
    resolver = PointResolver(context, reader: reader)
  }

  /// Every edit of the command line.
  ///
  /// - Throws: A usage error that names the option and what is wrong with it; what finding a point throws.
  func edits() throws -> [HistoryEdit] {
    var edits = try arguments.values(of: Self.skip).map { text in HistoryEdit.skip(try range(text)) }
    for text in arguments.values(of: Self.replace) {
      let (revision, action) = try parts(text, of: Self.replace)
      edits.append(.replace(revision, with: try form(action, of: Self.replace)))
    }
    for text in arguments.values(of: Self.insert) {
      let (revision, action) = try parts(text, of: Self.insert)
      edits.append(.insert(try form(action, of: Self.insert), after: revision))
    }
    for text in arguments.values(of: Self.move) {
      let (revision, target) = try parts(text, of: Self.move)
      edits.append(.move(revision, after: try resolver.revision(String(target))))
    }
    return edits
  }

  /// `5`, `5-8`, or any other point.
  private func range(_ text: String) throws -> ClosedRange<Int> {
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]) else {
      let revision = try resolver.revision(text)
      return revision...revision
    }
    guard first <= last else {
      throw ToolFailure.usage("--skip \(text) ends before it begins", advice: "Write --skip \(last)-\(first).")
    }
    return try resolver.revision(String(bounds[0]))...resolver.revision(String(bounds[1]))
  }

  private static func number(_ text: Substring) -> Int? {
    text.allSatisfy { character in character.isASCIIDigit } ? Int(text) : nil
  }

  /// What stands before the first `=`, and what behind it.
  private func parts(_ text: String, of option: CommandOption) throws -> (revision: Int, rest: Substring) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw ToolFailure.usage("--\(option.name) takes \(option.value ?? ""), not '\(text)'")
    }
    return (try resolver.revision(String(text[..<sign])), text[text.index(after: sign)...])
  }

  private func form(_ text: Substring, of option: CommandOption) throws(ToolFailure) -> ActionForm {
    do throws(LineRefusal) {
      return try text.hasPrefix("{") ? line(text) : short(text)
    } catch {
      let place = error.byteOffset.map { offset in " (byte \(offset))" } ?? ""
      throw .usage("--\(option.name): \(error.message)\(place): \(text)")
    }
  }

  /// A line as `record` takes it.
  private func line(_ text: Substring) throws(LineRefusal) -> ActionForm {
    let line = try ActionLine(number: 1, parsing: Array(text.utf8)[...])
    guard line.meta == nil else {
      throw LineRefusal(.notAnAction, "\"meta\" cannot be given: a branch says itself where its actions come from")
    }
    return line.form
  }

  /// A type, and its data behind a space.
  private func short(_ text: Substring) throws(LineRefusal) -> ActionForm {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let type = parts.first, !type.hasPrefix("@") else {
      throw LineRefusal(.notAnAction, "an action has a type, which does not begin with '@'")
    }
    guard parts.count == 2 else { return ActionForm(type: String(type), data: Array("{}".utf8)) }
    let data = Array(parts[1].utf8)
    let tape: JSONTape
    do throws(JSONError) { tape = try JSONTape(parsing: data) } catch {
      throw LineRefusal(.notJSON, "the data is not JSON: \(error.message)", byteOffset: error.byteOffset)
    }
    guard tape.root.kind == .object else { throw LineRefusal(.notAnAction, "the data must be an object") }
    return ActionForm(type: String(type), data: data)
  }
}
