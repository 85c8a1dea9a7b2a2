/// One line of the table: what was to be reached, what was, and whether that is enough.
package struct Goal: Sendable {
  /// How it ended.
  package enum Outcome: Sendable, Equatable {
    /// The goal is reached.
    case met
    /// It is not: something was lost or believed, or too little was done.
    case missed
    /// It could not be tried on this machine.
    case skipped(String)
  }

  /// What was tried.
  package var name: String
  /// What was asked for.
  package var wanted: String
  /// What was found.
  package var figure: String
  package var outcome: Outcome
  /// What must not be, in words.
  package var flaws: [String] = []

  /// A goal that is reached or not.
  package init(_ name: String, wanted: String, figure: String, isMet: Bool, flaws: [String] = []) {
    self.name = name
    self.wanted = wanted
    self.figure = figure
    outcome = isMet && flaws.isEmpty ? .met : .missed
    self.flaws = flaws
  }

  /// A goal that cannot be tried here.
  package init(_ name: String, wanted: String, skippedBecause reason: String) {
    self.name = name
    self.wanted = wanted
    figure = "–"
    outcome = .skipped(reason)
  }

  /// A row of a table in Markdown.
  package var row: String {
    let end =
      switch outcome {
      case .met: "met"
      case .missed: "**NOT MET**"
      case .skipped(let reason): "skipped: \(reason)"
      }
    return "| \(name) | \(wanted) | \(figure) | \(end) |"
  }
}

/// The reason why a machine cannot make a trial: it lacks a tool, a permission or a file system.
///
/// A program of this package that fails is never a reason, and neither is what fails after a flaw was found.
package struct Unavailable: Error, CustomStringConvertible {
  package var description: String

  package init(_ reason: String) { description = reason }
}

extension [String] {
  /// Runs a part of a trial and collects its flaws. An error that ends it is one more flaw, so that those before it are kept.
  ///
  /// - Throws: ``Unavailable``, when no flaw was found before.
  mutating func collect(_ body: (inout [String]) throws -> Void) throws {
    do { try body(&self) } catch let reason as Unavailable where isEmpty { throw reason } catch {
      append("the trial ended early: \(error)")
    }
  }
}
