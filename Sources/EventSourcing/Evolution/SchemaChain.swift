package import JSONCoding

/// The steps of a ``SchemaEvolution``, checked: from each version that is read there is one way to the present one.
package struct SchemaChain: Sendable {
  /// The schema that everything is lifted to.
  package let schema: Int
  /// The oldest schema that is read.
  package let oldest: Int

  private let steps: [Int: Step]
  /// For each version, the types that some step from there on lifts. All others are read as they stand.
  private let touched: [Int: Set<String>]

  private struct Step: Sendable {
    var to: Int
    var upcasters: [String: Upcaster]
    var liftBase: (@Sendable (JSONValue) throws -> JSONValue)?
  }

  /// One record becomes no more actions than this: an upcaster that multiplies must not fill the memory.
  package static let actionLimit = 4_096

  /// Checks an evolution.
  ///
  /// - Throws: ``EventSourcingError/Code/brokenEvolution`` for a gap, a cycle, a duplicate, or a step that leads beyond the
  ///   model's schema.
  package init(_ evolution: SchemaEvolution, schema: Int, model: String) throws(EventSourcingError) {
    var steps: [Int: Step] = [:]
    for step in evolution.steps {
      try Self.check(step, schema: schema, model: model)
      if let other = steps[step.from] {
        throw Self.broken(
          model, "two steps begin at schema \(step.from)", "Keep one: that to \(other.to) or that to \(step.to).")
      }
      steps[step.from] = Step(to: step.to, upcasters: try Self.table(step, model: model), liftBase: step.liftBase)
    }
    let oldest = steps.keys.min() ?? schema
    for version in oldest..<max(oldest, schema) where steps[version] == nil {
      throw Self.broken(
        model, "no step begins at schema \(version)",
        "Add SchemaStep(from: \(version), to: \(version + 1), […]), or .unchanged(from: \(version), to: \(version + 1)) "
          + "if its actions are read as they are.")
    }
    self.schema = schema
    self.oldest = oldest
    self.steps = steps
    var touched: [Int: Set<String>] = [:]
    for version in (oldest..<max(oldest, schema)).reversed() {
      guard let step = steps[version] else { continue }
      touched[version] = Set(step.upcasters.keys).union(touched[step.to] ?? [])
    }
    self.touched = touched
  }

  /// What lifts the actions of a type from a version.
  func upcaster(of type: String, from version: Int) -> Upcaster? { steps[version]?.upcasters[type] }

  private static func check(_ step: SchemaStep, schema: Int, model: String) throws(EventSourcingError) {
    guard step.from >= 1 else {
      throw broken(model, "a step begins at schema \(step.from)", "Schema versions begin at 1.")
    }
    guard step.to > step.from else {
      throw broken(
        model, "the step from schema \(step.from) leads back to schema \(step.to)",
        "A chain with a cycle has no end; each step leads to a later version.")
    }
    guard step.to <= schema else {
      throw broken(
        model, "the step from schema \(step.from) leads to schema \(step.to), and the model has schema \(schema)",
        "Raise the model's schema to \(step.to).")
    }
  }

  private static func table(_ step: SchemaStep, model: String) throws(EventSourcingError) -> [String: Upcaster] {
    var table: [String: Upcaster] = [:]
    for upcaster in step.upcasters {
      guard table.updateValue(upcaster, forKey: upcaster.type) == nil else {
        throw broken(
          model, "two upcasters of the step from schema \(step.from) lift '\(upcaster.type)'",
          "Join them in one .replace(\(String(reflecting: upcaster.type))) { action in … }: which one comes first would decide what is "
            + "read.")
      }
    }
    return table
  }

  private static func broken(_ model: String, _ message: String, _ advice: String) -> EventSourcingError {
    EventSourcingError(.brokenEvolution, "the schema evolution of '\(model)' is broken: \(message)", advice: advice)
  }
}

extension SchemaChain {
  /// Whether a record is read as it stands although an older version wrote it.
  ///
  /// - Complexity: O(length of the type).
  package func leavesAlone(_ type: @autoclosure () -> String, of version: Int) -> Bool {
    guard version < schema, version >= oldest, let touched = touched[version] else { return false }
    return touched.isEmpty || !touched.contains(type())
  }

  /// The versions whose records are all read as they stand, up to the present one.
  package var unliftedVersions: ClosedRange<Int> {
    var first = schema
    while first > oldest, touched[first - 1]?.isEmpty == true { first -= 1 }
    return first...schema
  }

  /// Lifts an action to the present schema.
  ///
  /// - Parameter version: The schema that it was recorded under, from ``oldest`` to ``schema``.
  /// - Returns: What became of it, in order; nothing if it was dropped.
  /// - Throws: What an upcaster throws, as ``UpcastFailure``.
  package func lift(_ action: StoredAction, from version: Int) throws(UpcastFailure) -> [StoredAction] {
    var actions = [action]
    var version = version
    while version < schema, let step = steps[version] {
      var lifted: [StoredAction] = []
      for action in actions {
        guard let upcaster = step.upcasters[action.type] else {
          lifted.append(action)
          continue
        }
        do {
          lifted += try upcaster.lift(action)
        } catch {
          throw UpcastFailure(type: action.type, from: version, to: step.to, underlying: error)
        }
        if lifted.count > Self.actionLimit {
          throw UpcastFailure(type: action.type, from: version, to: step.to, underlying: TooManyActions())
        }
      }
      actions = lifted
      version = step.to
    }
    return actions
  }

  /// Lifts the state that a log begins with to the present schema.
  package func liftBase(_ state: JSONValue, from version: Int) throws(UpcastFailure) -> JSONValue {
    var state = state
    var version = version
    while version < schema, let step = steps[version] {
      do {
        state = try step.liftBase?(state) ?? state
      } catch {
        throw UpcastFailure(type: "@base", from: version, to: step.to, underlying: error)
      }
      version = step.to
    }
    return state
  }

  /// What the chain does with a type of a version, in words; empty when it leaves it alone.
  package func path(of type: String, from version: Int) -> [Upcaster.Kind] {
    var kinds: [Upcaster.Kind] = []
    var (type, version) = (type, version)
    while version < schema, let step = steps[version] {
      if let upcaster = step.upcasters[type] {
        kinds.append(upcaster.kind)
        switch upcaster.kind {
        case .rename(let newType): type = newType
        case .edit: break
        // What it becomes is seen only when it is run.
        case .drop, .replace: return kinds
        }
      }
      version = step.to
    }
    return kinds
  }
}

/// An upcaster that failed.
package struct UpcastFailure: Error, CustomStringConvertible {
  package var type: String
  package var from: Int
  package var to: Int
  package var underlying: any Error

  package var description: String { "\(underlying)" }
}

/// An upcaster made too much of one record.
private struct TooManyActions: Error, CustomStringConvertible {
  var description: String { "one record became more than \(SchemaChain.actionLimit) actions" }
}
