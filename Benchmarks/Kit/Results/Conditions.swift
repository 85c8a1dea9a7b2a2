import Foundation

/// The environment that results depend on in addition to the code.
package struct Conditions: Codable, Equatable, Sendable {
  package var date: String
  package var commit: String
  package var processor: String
  package var cores: Int
  package var memoryGibibytes: Double
  package var system: String
  package var swift: String
  package var flags: String
  /// `smoke` or `canonical`.
  package var size: String
  package var rounds: Int

  /// Makes conditions from their parts.
  package init(
    date: String, commit: String, processor: String, cores: Int, memoryGibibytes: Double, system: String, swift: String,
    flags: String, size: String, rounds: Int
  ) {
    self.date = date
    self.commit = commit
    self.processor = processor
    self.cores = cores
    self.memoryGibibytes = memoryGibibytes
    self.system = system
    self.swift = swift
    self.flags = flags
    self.size = size
    self.rounds = rounds
  }

  /// The conditions in one line.
  package var line: String {
    "\(date), commit \(commit), \(processor), \(cores) cores, \(Figures.digits(memoryGibibytes)) GiB, \(system), "
      + "\(swift), \(flags), \(size) size, \(rounds) rounds"
  }
}
