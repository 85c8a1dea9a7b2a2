public import FoodTruckData

/// The form that adds or edits a donut: the values of its fields, and what follows from them. It is local to a window.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide (`DonutEditor`).
public struct DonutEditorForm: Hashable, Sendable {
  /// A field of the form.
  public enum Field: Hashable, Sendable, CaseIterable {
    /// The name.
    case name
    /// The dough.
    case dough
    /// The glaze.
    case glaze
    /// The topping.
    case topping
  }

  /// The id of the donut; an unused one for a new donut.
  public let id: Donut.ID
  /// Whether the form adds a donut.
  public let isNew: Bool
  /// The name.
  public var name: String
  /// The dough; `nil` if none is chosen.
  public var dough: String?
  /// The glaze; `nil` for none.
  public var glaze: String?
  /// The topping; `nil` for none.
  public var topping: String?

  /// Creates a form for an existing donut.
  public init(editing donut: Donut) {
    id = donut.id
    isNew = false
    name = donut.name
    dough = donut.dough
    glaze = donut.glaze
    topping = donut.topping
  }

  /// Creates an empty form.
  ///
  /// - Parameter id: An unused id, see `FoodTruckState.selectNewDonutID()`.
  public init(newID id: Donut.ID) {
    self.id = id
    isNew = true
    name = ""
  }

  /// The title of the form.
  public var title: String { isNew ? "New Donut" : "Edit Donut" }

  /// The fields that are incomplete, and what the user has to do. A screen shows it after the field was edited or the form was
  /// submitted.
  public var problems: [Field: String] {
    var problems: [Field: String] = [:]
    if name.allSatisfy(\.isWhitespace) { problems[.name] = "Enter a name" }
    if dough == nil { problems[.dough] = "Select a dough" }
    return problems
  }

  /// Whether the donut can be saved.
  public var isSaveEnabled: Bool { problems.isEmpty }

  /// The action of `Save`; `nil` if a field is incomplete.
  public var action: FoodTruckAction? {
    guard isSaveEnabled, let dough else { return nil }
    let donut = Donut(id: id, name: name, dough: dough, glaze: glaze, topping: topping)
    return .ui(.donutEditor(.onTapSaveDonutButton(donut: donut)))
  }
}
