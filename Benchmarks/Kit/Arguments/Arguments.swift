/// The parsed command line of the benchmarks.
package struct Arguments: Equatable, Sendable {
  /// The command to run.
  package enum Command: String, CaseIterable, Sendable {
    /// Measures the table of targets; the default.
    case targets
    /// Measures the tables of the ImmutableData guide.
    case guide
    /// Measures how the engine grows with its log, and plots it.
    case growth
    /// Counts instructions.
    case instructions
    /// Writes committed results into the pages that show them.
    case report
    /// Does one round of a contender for the process that started this one.
    case round
    /// Does one operation of the guide for the process that started this one.
    case guideRound = "guide-round"
    /// Does a fixed piece of work under callgrind.
    case work
  }

  /// The output format of results.
  package enum Output: Equatable, Sendable { case text, markdown, json }

  package var command = Command.targets
  package var isSmoke = false
  package var rounds: Int?
  package var filter: String?
  /// `--skip`: the parts to leave out.
  package var skipped: [String] = []
  package var output = Output.text
  /// `--list`, `--help`, `--large`, `--check`, `--update`.
  package var lists = false
  package var asksForHelp = false
  package var isLarge = false
  package var checks = false
  package var updates = false
  /// `--tolerance`: the growth in percent that `--check` lets pass.
  package var tolerancePercent: Int?
  /// A directory in which data sets are kept; `nil` to create and remove them on each run.
  package var data: String?
  /// The directory of the peers' scripts, or `none`.
  package var peers: String?
  /// A file that measurements of peers are read from, one JSON object on each line.
  package var peerResults: String?
  /// The file that results are added to, or read from.
  package var results: String?
  /// The directory that plots are written to.
  package var svg: String?
  /// The names of contenders, which follow the options.
  package var operands: [String] = []

  /// Reads a command line, without the program's name.
  ///
  /// - Throws: ``ArgumentError`` with what is wrong and what would be right.
  package init(_ arguments: [String]) throws(ArgumentError) {
    var rest = arguments[...]
    if let first = rest.first, !first.hasPrefix("-") {
      guard let command = Command(rawValue: first) else {
        throw ArgumentError("there is no command '\(first)'; there are \(Self.commandNames)")
      }
      self.command = command
      rest = rest.dropFirst()
    }
    while let argument = rest.popFirst() {
      if argument.hasPrefix("-") { try take(argument, from: &rest) } else { operands.append(argument) }
    }
    try check()
  }

  private static var commandNames: String {
    let visible: [Command] = [.targets, .guide, .growth, .instructions, .report]
    return visible.map(\.rawValue).joined(separator: ", ")
  }

  private mutating func take(_ option: String, from rest: inout ArraySlice<String>) throws(ArgumentError) {
    switch option {
    case "--smoke": isSmoke = true
    case "--json": try choose(.json)
    case "--markdown": try choose(.markdown)
    case "--list": lists = true
    case "--help", "-h": asksForHelp = true
    case "--large": isLarge = true
    case "--check": checks = true
    case "--update": updates = true
    case "--tolerance": tolerancePercent = try Self.positive(option, Self.value(of: option, &rest))
    case "--rounds": rounds = try Self.positive(option, Self.value(of: option, &rest))
    case "--filter": filter = try Self.value(of: option, &rest)
    case "--skip": skipped.append(try Self.value(of: option, &rest))
    case "--data": data = try Self.value(of: option, &rest)
    case "--peers": peers = try Self.value(of: option, &rest)
    case "--peer-results": peerResults = try Self.value(of: option, &rest)
    case "--results": results = try Self.value(of: option, &rest)
    case "--svg": svg = try Self.value(of: option, &rest)
    default: throw ArgumentError("there is no option '\(option)'; 'benchmarks --help' lists them")
    }
  }

  private mutating func choose(_ output: Output) throws(ArgumentError) {
    guard self.output == .text || self.output == output else {
      throw ArgumentError("--json and --markdown exclude each other")
    }
    self.output = output
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(ArgumentError) -> String {
    guard let value = rest.popFirst(), !value.hasPrefix("--") else {
      throw ArgumentError("\(option) needs a value")
    }
    return value
  }

  private static func positive(_ option: String, _ text: String) throws(ArgumentError) -> Int {
    guard let number = Int(text), number >= 1 else {
      throw ArgumentError("\(option) takes a whole number from 1, not '\(text)'")
    }
    return number
  }

  private func check() throws(ArgumentError) {
    func needs(_ option: String, _ isGiven: Bool, _ commands: Command...) throws(ArgumentError) {
      guard isGiven, !commands.contains(command) else { return }
      let names = commands.map { command in "'\(command.rawValue)'" }.joined(separator: " and ")
      throw ArgumentError("\(option) belongs to \(names)")
    }
    try needs("--large", isLarge, .growth, .round)
    try needs("--svg", svg != nil, .growth, .report)
    try needs("--check", checks, .instructions)
    try needs("--update", updates, .instructions)
    try needs("--list", lists, .targets)
    try needs("--skip", !skipped.isEmpty, .targets)
    try needs("--peers", peers != nil, .targets, .round)
    try needs("--peer-results", peerResults != nil, .targets)
    if command == .report {
      let given = [
        ("--smoke", isSmoke), ("--rounds", rounds != nil), ("--filter", filter != nil), ("--json", output == .json),
        ("--markdown", output == .markdown), ("--data", data != nil),
      ]
      if let (option, _) = given.first(where: { _, isGiven in isGiven }) {
        throw ArgumentError("\(option) is for what measures; 'report' writes what was measured")
      }
    }
    if command == .instructions {
      if isSmoke { throw ArgumentError("--smoke: 'instructions' has one size") }
      if rounds != nil { throw ArgumentError("--rounds: 'instructions' counts once; it counts the same each time") }
    }
    if command == .growth, isSmoke, isLarge { throw ArgumentError("--smoke and --large exclude each other") }
    if updates, filter != nil {
      throw ArgumentError("--update replaces the reference as a whole; it goes without --filter")
    }
    if tolerancePercent != nil, !checks { throw ArgumentError("--tolerance says what --check lets pass") }
    if command == .report, results == nil { throw ArgumentError("'report' needs --results FILE") }
    let takesOperands: [Command] = [.round, .guideRound, .work]
    if let operand = operands.first, !takesOperands.contains(command) {
      throw ArgumentError("'\(operand)' belongs to no option; 'benchmarks --help' lists them")
    }
  }
}

/// A command line that cannot be understood.
package struct ArgumentError: Error, Equatable, CustomStringConvertible {
  /// The problem and its solution.
  package var description: String

  /// Makes an error.
  package init(_ description: String) {
    self.description = description
  }
}
