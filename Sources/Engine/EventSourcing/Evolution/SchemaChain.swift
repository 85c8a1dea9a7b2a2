import ActionLog
package import JSONCoding

/// The checked steps of a ``SchemaEvolution``: one path from each version that is read to the present one.
package struct SchemaChain: Sendable {
  package let schema: Int
  package let oldest: Int

  private let steps: [Int: Step]
  /// For each version, the types that a step from there on lifts. All others are read unchanged.
  private let touched: [Int: TypeMap<Upcaster>]

  private struct Step: Sendable {
    var to: Int
    var upcasters: TypeMap<Upcaster>
    var list: [Upcaster]
    var liftBase: (@Sendable (JSONValue) throws -> JSONValue)?
  }

  /// The largest number of actions that one record may become, so that an upcaster that multiplies actions does not fill the
  /// memory.
  package static let actionLimit = 4_096

  package init(_ evolution: SchemaEvolution, schema: Int, model: String) throws(EventSourcingError) {
    var steps: [Int: Step] = [:]
    for step in evolution.steps {
      try Self.check(step, schema: schema, model: model)
      if let other = steps[step.from] {
        throw Self.broken(
          model, "two steps begin at schema \(step.from)", "Keep one: that to \(other.to) or that to \(step.to).")
      }
      steps[step.from] = Step(
        to: step.to, upcasters: try Self.table(step, model: model), list: step.upcasters, liftBase: step.liftBase)
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
    var touched: [Int: TypeMap<Upcaster>] = [:]
    for version in (oldest..<max(oldest, schema)).reversed() {
      guard let step = steps[version] else { continue }
      var types = step.upcasters
      types.formUnion(touched[step.to] ?? TypeMap())
      touched[version] = types
    }
    self.touched = touched
  }

  func upcaster(of type: String, from version: Int) -> Upcaster? { steps[version]?.upcasters[type] }

  /// Returns the upcasters of the steps that actions of some versions pass, with the versions at both ends of their steps.
  func upcasters(passedFrom versions: some Sequence<Int>) -> [(upcaster: Upcaster, from: Int, to: Int)] {
    var passed: Set<Int> = []
    for start in versions {
      var version = start
      while let step = steps[version], passed.insert(version).inserted { version = step.to }
    }
    return passed.sorted().flatMap { version in
      steps[version].map { step in step.list.map { upcaster in (upcaster, version, step.to) } } ?? []
    }
  }

  private static func check(_ step: SchemaStep, schema: Int, model: String) throws(EventSourcingError) {
    guard step.from >= 1 else {
      throw broken(model, "a step begins at schema \(step.from)", "Schema versions begin at 1.")
    }
    guard step.to > step.from else {
      throw broken(
        model, "the step from schema \(step.from) leads back to schema \(step.to)",
        "Each step must lead to a later version.")
    }
    guard step.to <= schema else {
      throw broken(
        model, "the step from schema \(step.from) leads to schema \(step.to), and the model has schema \(schema)",
        "Raise the model's schema to \(step.to).")
    }
  }

  private static func table(_ step: SchemaStep, model: String) throws(EventSourcingError) -> TypeMap<Upcaster> {
    var table = TypeMap<Upcaster>()
    for upcaster in step.upcasters {
      if let fault = upcaster.fault {
        throw broken(
          model, "the upcaster of '\(upcaster.type)' from schema \(step.from) to \(step.to) cannot be used: \(fault)",
          "A type is complete, such as 'ui.list.onTap', or a pattern, such as 'ui.list.*'.")
      }
      guard table.insert(upcaster, for: upcaster.pattern) else {
        throw broken(
          model, "two upcasters of the step from schema \(step.from) lift '\(upcaster.type)'",
          "Join them in one .replace(\(String(reflecting: upcaster.type))) { action in … }, so that their order does not "
            + "matter.")
      }
    }
    return table
  }

  private static func broken(_ model: String, _ message: String, _ advice: MessageText) -> EventSourcingError {
    EventSourcingError(.brokenEvolution, "the schema evolution of '\(model)' is broken: \(message)", advice: advice)
  }
}

extension SchemaChain {
  /// Whether records of a type are read unchanged although an older version wrote them.
  package func readsUnchanged(_ type: @autoclosure () -> String, of version: Int) -> Bool {
    guard version < schema, version >= oldest, let touched = touched[version] else { return false }
    return touched.isEmpty || touched[type()] == nil
  }

  /// The versions whose records are all read unchanged, up to the present one.
  package var unliftedVersions: ClosedRange<Int> {
    var first = schema
    while first > oldest, touched[first - 1]?.isEmpty == true { first -= 1 }
    return first...schema
  }

  package func lift(
    _ action: StoredAction, from version: Int, noting note: (Upcaster, Int) -> Void = { _, _ in }
  ) throws(UpcastFailure) -> [StoredAction] {
    var actions = [action]
    var version = version
    while version < schema, let step = steps[version] {
      var lifted: [StoredAction] = []
      for action in actions {
        guard let upcaster = step.upcasters[action.type] else {
          lifted.append(action)
          continue
        }
        note(upcaster, version)
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

  package func liftBase(_ state: JSONValue, from version: Int) throws(UpcastFailure) -> JSONValue {
    var state = state
    var version = version
    while version < schema, let step = steps[version] {
      do {
        state = try step.liftBase?(state) ?? state
      } catch {
        throw UpcastFailure(
          type: ControlType.base.rawValue, from: version, to: step.to, underlying: error)
      }
      version = step.to
    }
    return state
  }
}

/// The failure of an upcaster.
package struct UpcastFailure: Error, CustomStringConvertible {
  package var type: String
  package var from: Int
  package var to: Int
  package var underlying: any Error

  package var description: String { "\(underlying)" }
}

/// The error for an upcaster that returns too many actions.
private struct TooManyActions: Error, CustomStringConvertible {
  var description: String { "one record became more than \(SchemaChain.actionLimit) actions" }
}

// The errors for records whose schema the evolution does not cover.
extension SchemaChain {
  func tooNew(_ recorded: Int, model: String, _ site: RecordSite) -> LogError {
    LogError(
      .schemaTooNew,
      "the log was written by schema \(recorded) of '\(model)', this program has schema \(schema)",
      path: site.path,
      revision: site.revision,
      intact: site.readable,
      advice: "Use the program that wrote the log, or a newer one."
    )
  }

  /// The error for a record that is older than the first step of the evolution.
  func tooOld(_ recorded: Int, _ what: String, model: String, _ site: RecordSite) -> EventSourcingError {
    EventSourcingError(
      .schemaTooOld,
      "\(what) was recorded by schema \(recorded) of '\(model)', and its evolution begins at schema \(oldest)",
      path: site.path,
      revision: site.revision,
      advice: "Add SchemaStep(from: \(recorded), to: \(recorded + 1), […]) to the model's evolution, or "
        + ".unchanged(from: \(recorded), to: \(recorded + 1)) if the actions are read as they are. "
        + "\(.operation("compat")) says what each type needs."
    )
  }
}
