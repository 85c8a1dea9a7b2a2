/// One row of the table: the goal, the result, and whether it suffices.
package struct Goal: Sendable {
  /// The verdict.
  package enum Outcome: Sendable, Equatable {
    /// The goal is met.
    case met
    /// The goal is missed: a loss, a wrong result, or too little work.
    case missed
    /// This machine cannot run the trial.
    case skipped(String)
  }

  /// The name of the trial.
  package var name: String
  /// The requirement.
  package var wanted: String
  /// The result.
  package var figure: String
  package var outcome: Outcome
  /// The flaws, in words.
  package var flaws: [String] = []

  /// Creates a goal that is met or missed.
  package init(_ name: String, wanted: String, figure: String, isMet: Bool, flaws: [String] = []) {
    self.name = name
    self.wanted = wanted
    self.figure = figure
    outcome = isMet && flaws.isEmpty ? .met : .missed
    self.flaws = flaws
  }

  /// Creates a goal that cannot be tried on this machine.
  package init(_ name: String, wanted: String, skippedBecause reason: String) {
    self.name = name
    self.wanted = wanted
    figure = "–"
    outcome = .skipped(reason)
  }

  /// The row of a table in Markdown.
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

/// The reason why a machine cannot run a trial: it lacks a tool, a permission or a file system.
///
/// A program of this package that fails is never such a reason, and neither is a failure after a flaw was found.
package struct Unavailable: Error, CustomStringConvertible {
  package var description: String

  package init(_ reason: String) { description = reason }
}

extension [String] {
  /// Runs a part of a trial and collects its flaws. An error that ends it is one more flaw, so that earlier ones are
  /// kept.
  ///
  /// - Throws: ``Unavailable``, if no flaw was found before.
  mutating func collect(_ body: (inout [String]) throws -> Void) throws {
    do { try body(&self) } catch let reason as Unavailable where isEmpty { throw reason } catch {
      append("the trial ended early: \(error)")
    }
  }
}
