package import AnimalsData
import Foundation
import ImmutableData
package import ImmutableUI
import Observation
package import SampleSupport
package import TerminalUI

/// The screen of the animals: categories, the animals of the selected category, and the selected animal, with dialogs for forms
/// and questions.
///
/// It is the root component of the guide: the selection is local state, which is not recorded. Selecting another category does
/// not clear the selected animal.
@MainActor @Observable package final class AnimalsScreen<Source: AnimalsSource>: TerminalScreen {
  enum Pane: Int, CaseIterable {
    case categories
    case animals
    case detail
  }

  typealias Command = @MainActor @Sendable (AnimalsScreen) -> Void

  /// A question, and the function that a confirmation calls.
  struct Question {
    var dialog: ConfirmDialog
    let confirm: @MainActor () -> Void
  }

  @ObservationIgnored let container: AnimalsContainer<Source>
  @ObservationIgnored private let follower = StoreFollower()
  @ObservationIgnored let changes = ViewChanges(module: "AnimalsUI")
  let title: String
  let notices: ScreenNotices
  var categories = SelectableList<AnimalsData.Category.ID>()
  var animals = SelectableList<Animal.ID>()
  /// The selected animal. It stays selected when another category is shown.
  var selectedAnimalId: Animal.ID?
  var pane = Pane.categories
  var question: Question?
  var editor: AnimalEditor?
  var showsHelp = false
  @ObservationIgnored private var response = KeyResponse.handled
  private let makeId: @MainActor () -> Animal.ID

  /// Creates the screen, and dispatches the first appearance of the list of categories.
  package init(
    _ store: Source, dispatch: ActionDispatch<AnimalsAction>, title: String,
    notices: ScreenNotices = ScreenNotices(), makeId: @escaping @MainActor () -> Animal.ID = { UUID().uuidString }
  ) {
    self.title = title
    self.notices = notices
    self.makeId = makeId
    container = AnimalsContainer(store, dispatch: dispatch) { [notices] error in
      notices.report("\(ErrorSummary(error))")
    }
    follower.follow(store) { [weak self] _, _, action in self?.follow(action) }
    container.categoryListAppeared()
  }

  private func follow(_ action: AnimalsAction) {
    if let editor, editor.draft.closes(at: action) { self.editor = nil }
  }
}

// MARK: - Keys

extension AnimalsScreen {
  var bindings: [KeyBinding<Command>] {
    let list = container.animalList(categoryId: categories.selection)
    let detail = container.animalDetail(animalId: selectedAnimalId)
    return [
      KeyBinding("?", "help") { screen in screen.showsHelp = true },
      KeyBinding([.right, .tab, .enter], "next") { screen in screen.turnPane(by: 1) },
      KeyBinding([.left, .backTab], "back") { screen in screen.turnPane(by: -1) },
      KeyBinding("a", "add", isEnabled: list.isAddEnabled) { screen in screen.beginAdding() },
      KeyBinding("e", "edit", isEnabled: detail.areButtonsEnabled) { screen in screen.beginEditing() },
      KeyBinding("d", "delete", isEnabled: detail.areButtonsEnabled) { screen in screen.askForDeletion() },
      KeyBinding("x", "delete at once", isEnabled: pane == .animals && animals.selection != nil) { screen in
        screen.swipe()
      },
      KeyBinding("r", "reload", isEnabled: container.categoryList.isReloadEnabled) { screen in
        let container = screen.container
        screen.question = Question(dialog: container.categoryList.confirmation) { container.reloadSampleData() }
      },
      KeyBinding("q", "quit") { screen in screen.response = .finish },
    ]
  }

  /// Handles a key.
  package func handle(_ key: Key) -> KeyResponse {
    if question != nil { return answer(key) }
    if editor != nil { return edit(key) }
    if showsHelp {
      showsHelp = false
      return .handled
    }
    if moveSelection(key) { return .handled }
    guard let command = KeyBinding.command(of: key, in: bindings) else { return .ignored }
    notices.clear()
    response = .handled
    command(self)
    return response
  }

  private func turnPane(by step: Int) {
    pane = Pane(rawValue: (pane.rawValue + step + Pane.allCases.count) % Pane.allCases.count) ?? pane
  }

  private func moveSelection(_ key: Key) -> Bool {
    switch pane {
    case .categories:
      let old = categories.selection
      guard categories.handle(key, container.categoryList.categories.map(\.id)) else { return false }
      if categories.selection != old {
        animals.selection = selectedAnimalId
        container.animalListAppeared(categoryId: categories.selection)
      }
    case .animals:
      let ids = container.animalList(categoryId: categories.selection).animals.map(\.id)
      guard animals.handle(key, ids) else { return false }
      if let selection = animals.selection { selectedAnimalId = selection }
    case .detail: return false
    }
    return true
  }

  private func answer(_ key: Key) -> KeyResponse {
    guard let answer = question?.dialog.handle(key) else { return .handled }
    let confirm = question?.confirm
    question = nil
    if answer == .confirmed { confirm?() }
    return .handled
  }

  private func askForDeletion() {
    let detail = container.animalDetail(animalId: selectedAnimalId)
    guard let (animal, _) = detail.content else { return }
    question = Question(dialog: detail.confirmation) { [container] in container.deleteAnimal(animalId: animal.id) }
  }

  private func swipe() {
    let ids = container.animalList(categoryId: categories.selection).animals.map(\.id)
    guard let index = ids.firstIndex(where: { id in id == animals.selection }) else { return }
    container.deleteAnimals(at: [index], categoryId: categories.selection)
  }

  private func beginAdding() {
    editor = AnimalEditor(AnimalEditorForm(placeholder: makeId()), categories: container.categoryList.categories)
  }

  private func beginEditing() {
    guard let (animal, _) = container.animalDetail(animalId: selectedAnimalId).content else { return }
    editor = AnimalEditor(AnimalEditorForm(editing: animal), categories: container.categoryList.categories)
  }

  private func edit(_ key: Key) -> KeyResponse {
    guard var editor else { return .ignored }
    editor.prepare(status: container.status(of: editor.draft))
    let outcome = editor.handle(key)
    self.editor = editor
    switch outcome {
    case .pressed(AnimalEditor.saveButton): container.save(editor.draft)
    case .pressed, .cancelled: self.editor = nil
    case .handled: break
    case .ignored: return .ignored
    }
    return .handled
  }
}

/// The position of the user on the animals' screen. It is local state and not part of the log.
package struct AnimalsPlace: Hashable, Codable, Sendable {
  var pane = 0
  var categoryId: AnimalsData.Category.ID?
  var animalId: Animal.ID?
}

extension AnimalsScreen {
  /// The position of the user. Setting it restores the selection as far as it still exists.
  package var place: AnimalsPlace {
    get {
      AnimalsPlace(pane: pane.rawValue, categoryId: categories.selection, animalId: selectedAnimalId)
    }
    set {
      pane = Pane(rawValue: newValue.pane) ?? .categories
      categories.selection = newValue.categoryId
      selectedAnimalId = newValue.animalId
      animals.selection = newValue.animalId
      container.animalListAppeared(categoryId: newValue.categoryId)
    }
  }
}
