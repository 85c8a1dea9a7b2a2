/// Times of operations as the log grows.
package struct GrowthResults: Codable, Equatable, Sendable {
  package var conditions: Conditions
  package var series: [GrowthSeries] = []

  /// Begins with nothing.
  package init(conditions: Conditions) {
    self.conditions = conditions
  }
}

/// One quantity over the number of actions.
package struct GrowthSeries: Codable, Equatable, Sendable {
  /// The subject, for instance `replay, whole log`.
  package var name: String
  package var actions: [Int]
  /// Nanoseconds, or mebibytes where the name says memory.
  package var values: [Double]

  /// Makes a series from its points.
  package init(name: String, actions: [Int], values: [Double]) {
    self.name = name
    self.actions = actions
    self.values = values
  }
}
