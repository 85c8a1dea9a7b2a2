package import FoodTruckData
import ImmutableData
import ImmutableUI
import TerminalUI

/// The gallery of all donuts: owns the search text and the sort order of one window, and reads the store.
@MainActor
package final class DonutGallery<Source: FoodTruckSource> {
  /// The text that names of donuts contain.
  package var searchText = ""
  /// The order of the donuts.
  package var sort = DonutSort.menu

  private let selectDonuts: Selection<Source, [DonutSales]>
  private let source: Source

  /// Creates a gallery.
  package init(_ source: Source) {
    self.source = source
    selectDonuts = Selection(source, FoodTruckQuery.donuts())
  }

  /// The donuts that match the search text, in the sort order. Reading is observed.
  package var donuts: [DonutSales] {
    selectDonuts.output(for: FoodTruckQuery.donuts(searchText: searchText, sort: sort))
  }

  /// A form for a new donut; `nil` if no id is left.
  package var newForm: DonutEditorForm? {
    source.select(FoodTruckState.selectNewDonutID()).map { id in DonutEditorForm(newID: id) }
  }
}

/// The form that adds or edits a donut: the values of its fields, and the rules about them. It is local state of a window.
package struct DonutEditorForm: Hashable, Sendable {
  /// A field of the form, by its index.
  package enum Field: Int, Sendable {
    case name
    case dough
    case glaze
    case topping
  }

  /// The id of the donut; an unused one for a new donut.
  package let id: Donut.ID
  /// Whether the form adds a donut.
  package let isNew: Bool
  /// The name.
  package var name: String
  /// The dough; `nil` if none is chosen.
  package var dough: String?
  /// The glaze; `nil` for none.
  package var glaze: String?
  /// The topping; `nil` for none.
  package var topping: String?

  /// Creates a form for an existing donut.
  package init(editing donut: Donut) {
    id = donut.id
    isNew = false
    name = donut.name
    (dough, glaze, topping) = (donut.dough, donut.glaze, donut.topping)
  }

  /// Creates an empty form.
  package init(newID id: Donut.ID) {
    self.id = id
    isNew = true
    name = ""
  }

  /// The title of the form.
  package var title: String { isNew ? "New Donut" : "Edit Donut" }

  /// The fields that are incomplete, and what the user has to do. A screen shows it after the field was edited or the form was
  /// submitted.
  package var problems: [Field: String] {
    var problems: [Field: String] = [:]
    if name.allSatisfy(\.isWhitespace) { problems[.name] = "Enter a name" }
    if dough == nil { problems[.dough] = "Select a dough" }
    return problems
  }

  /// Whether the donut can be saved.
  package var isSaveEnabled: Bool { problems.isEmpty }

  /// The action of `Save`; `nil` if a field is incomplete.
  package var action: FoodTruckAction? {
    guard isSaveEnabled, let dough else { return nil }
    let donut = Donut(id: id, name: name, dough: dough, glaze: glaze, topping: topping)
    return .ui(.donutEditor(.onTapSaveDonutButton(donut: donut)))
  }
}

/// The form that adds or edits a donut, in the terminal.
struct DonutEditor {
  static let saveButton = 0
  /// The choice of donuts without glaze or topping.
  private static let none = "none"

  private let initial: DonutEditorForm
  private let choices: [DonutEditorForm.Field: [String]]
  private var form: Form

  init(_ draft: DonutEditorForm) {
    initial = draft
    let choices: [DonutEditorForm.Field: [String]] = [
      .dough: Self.choices(Donut.doughs, draft.dough),
      .glaze: [Self.none] + Self.choices(Donut.glazes, draft.glaze),
      .topping: [Self.none] + Self.choices(Donut.toppings, draft.topping),
    ]
    self.choices = choices
    func field(_ label: String, _ field: DonutEditorForm.Field, _ value: String?) -> Form.Field {
      let all = choices[field] ?? []
      return .choice(label, ChoiceField(all, selectedIndex: value.flatMap(all.firstIndex)))
    }
    form = Form(
      [
        .text("Name", TextField(draft.name)), field("Dough", .dough, draft.dough),
        field("Glaze", .glaze, draft.glaze ?? Self.none), field("Topping", .topping, draft.topping ?? Self.none),
      ],
      buttons: ["Save", "Cancel"])
    form.disabledButtons = draft.isSaveEnabled ? [] : [Self.saveButton]
  }

  /// The known ingredients, and that of the donut, which can be an unknown one from a log.
  private static func choices(_ known: [String], _ current: String?) -> [String] {
    known + [current].compactMap(\.self).filter { name in !known.contains(name) }
  }

  var draft: DonutEditorForm {
    var draft = initial
    draft.name = form.text(DonutEditorForm.Field.name.rawValue)
    draft.dough = choice(.dough)
    draft.glaze = choice(.glaze)
    draft.topping = choice(.topping)
    return draft
  }

  private func choice(_ field: DonutEditorForm.Field) -> String? {
    guard let index = form.choice(field.rawValue), let name = choices[field]?[index] else { return nil }
    return name == Self.none && field != .dough ? nil : name
  }

  mutating func handle(_ key: Key) -> Form.Outcome {
    let outcome = form.handle(key)
    let draft = draft
    let problems = draft.problems.map { field, problem in (field.rawValue, problem) }
    form.showErrors(Dictionary(problems) { first, _ in first })
    form.disabledButtons = draft.isSaveEnabled ? [] : [Self.saveButton]
    return outcome
  }

  @MainActor func draw(in canvas: Canvas) {
    let frame = canvas.centered(width: min(72, canvas.width), height: 9 + form.errors.count)
    frame.fill()
    form.draw(in: frame.box(StyledText(initial.title, .bold)).part(column: 1))
  }
}
