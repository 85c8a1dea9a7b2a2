/// Results of the guide's benchmarks: an operation on a collection, sampled many times in a separate process.
package struct GuideResults: Codable, Equatable, Sendable {
  package var conditions: Conditions
  /// The number of elements.
  package var elements: Int
  package var runs: [GuideRun] = []
  package var curves: [GuideCurve] = []
  package var folds: [GuideFold] = []

  /// Begins with nothing.
  package init(conditions: Conditions, elements: Int) {
    self.conditions = conditions
    self.elements = elements
  }
}

/// The samples of one operation on one collection.
package struct GuideRun: Codable, Equatable, Sendable {
  package var operation: String
  package var collection: String
  /// Processor time of each sample, in nanoseconds; for operations that take less than a clock's tick, of one operation
  /// of the many in a sample.
  package var cpuNanoseconds: [Double]
  package var wallNanoseconds: [Double]
  /// The number of operations per sample.
  package var repetitions: Int
  /// The peak resident memory of the process, in mebibytes: after building the collection, and after each sample.
  package var builtMebibytes: Double
  package var peakMebibytes: [Double]
  /// A hash of the results.
  package var hash: UInt64

  /// Makes a run from its parts.
  package init(
    operation: String, collection: String, cpuNanoseconds: [Double], wallNanoseconds: [Double], repetitions: Int,
    builtMebibytes: Double, peakMebibytes: [Double], hash: UInt64
  ) {
    self.operation = operation
    self.collection = collection
    self.cpuNanoseconds = cpuNanoseconds
    self.wallNanoseconds = wallNanoseconds
    self.repetitions = repetitions
    self.builtMebibytes = builtMebibytes
    self.peakMebibytes = peakMebibytes
    self.hash = hash
  }
}

/// Nanoseconds of an operation by the number of elements.
package struct GuideCurve: Codable, Equatable, Sendable {
  package var operation: String
  package var collection: String
  package var elements: [Int]
  package var nanoseconds: [Double]

  /// Makes a curve from its points.
  package init(operation: String, collection: String, elements: [Int], nanoseconds: [Double]) {
    self.operation = operation
    self.collection = collection
    self.elements = elements
    self.nanoseconds = nanoseconds
  }

  /// The smallest number of elements from which on this curve stays below another; `nil` when it is not below at the end.
  package func crossover(below other: GuideCurve) -> Int? {
    var found: Int?
    for (index, count) in elements.enumerated().reversed() {
      guard let place = other.elements.firstIndex(of: count), nanoseconds[index] < other.nanoseconds[place] else {
        break
      }
      found = count
    }
    return found
  }
}

/// The time that a number of inserts took through a reducer.
package struct GuideFold: Codable, Equatable, Sendable {
  package var collection: String
  package var inserts: Int
  package var nanoseconds: Double

  /// Makes a figure from its parts.
  package init(collection: String, inserts: Int, nanoseconds: Double) {
    self.collection = collection
    self.inserts = inserts
    self.nanoseconds = nanoseconds
  }
}
