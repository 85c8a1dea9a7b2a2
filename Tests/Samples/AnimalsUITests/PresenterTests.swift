import AnimalsData
import AnimalsUI
import TerminalUI
import Testing

/// The rules of the guide's chapter 8, without a store.
@Suite struct PresenterTests {
  private static let settled: [Status?] = [nil, .empty, .success, .failure(error: "e")]

  // MARK: - Categories

  @Test func categoryListShowsItsTitle() {
    let list = CategoryListPresenter(categories: [.bird], status: nil)
    #expect(list.title == "Categories")
    #expect(list.reloadTitle == "Reload sample data")
    #expect(list.confirmation.title == "Reload Sample Data?")
    #expect(list.confirmation.message == "All changes are lost.")
    #expect(list.confirmation.confirmLabel == "Yes, reload sample data")
  }

  @Test func reloadIsDisabledWhileWaiting() {
    #expect(!CategoryListPresenter(categories: [], status: .waiting).isReloadEnabled)
    for status in Self.settled { #expect(CategoryListPresenter(categories: [], status: status).isReloadEnabled) }
  }

  // MARK: - Animals

  @Test func missingCategoryShowsPlaceholder() {
    let list = AnimalListPresenter(category: nil, animals: [], status: nil)
    #expect(list.title == nil)
    #expect(list.placeholder == "Select a category")
    #expect(!list.isAddEnabled)
  }

  @Test func listHasTheNameOfItsCategory() {
    let list = AnimalListPresenter(category: .bird, animals: [.sparrow], status: .success)
    #expect(list.title == "Bird")
    #expect(list.placeholder == nil)
    #expect(
      AnimalListPresenter(category: .fish, animals: [], status: .success).placeholder == "No animals in this category")
  }

  @Test func addIsDisabledWhileWaiting() {
    #expect(!AnimalListPresenter(category: .fish, animals: [], status: .waiting).isAddEnabled)
    for status in Self.settled {
      #expect(AnimalListPresenter(category: .fish, animals: [], status: status).isAddEnabled)
    }
  }

  // MARK: - One animal

  @Test(arguments: [(Animal?.none, Category?.none), (.cat, nil), (nil, .mammal)])
  func missingAnimalOrCategoryShowsPlaceholder(animal: Animal?, category: AnimalsData.Category?) {
    let detail = AnimalDetailPresenter(animal: animal, category: category, status: nil)
    #expect(detail.placeholder == "Select an animal")
    #expect(detail.fields.isEmpty)
    #expect(!detail.areButtonsEnabled)
  }

  @Test func detailShowsTheAnimal() {
    let detail = AnimalDetailPresenter(animal: .kangaroo, category: .mammal, status: nil)
    #expect(detail.placeholder == nil)
    #expect(detail.fields.map { field in "\(field.label): \(field.value)" } == ["Category: Mammal", "Diet: Herbivore"])
    #expect(detail.editTitle == "Edit Red kangaroo")
    #expect(detail.deleteTitle == "Delete Red kangaroo")
    #expect(detail.confirmation.title == "Delete Red kangaroo?")
    #expect(detail.confirmation.confirmLabel == "Yes, delete Red kangaroo")
  }

  @Test func buttonsAreDisabledWhileWaiting() {
    #expect(!AnimalDetailPresenter(animal: .cat, category: .mammal, status: .waiting).areButtonsEnabled)
    for status in Self.settled {
      #expect(AnimalDetailPresenter(animal: .cat, category: .mammal, status: status).areButtonsEnabled)
    }
  }

  // MARK: - The form

  @Test func formStartsWithTheAnimal() {
    let form = AnimalEditorForm(editing: .cat)
    #expect(form.title == "Edit Animal")
    #expect(form.name == "Cat" && form.diet == .carnivorous && form.categoryId == "Mammal")
    #expect(
      form.action
        == .ui(
          .animalEditor(
            .onTapUpdateAnimalButton(animalId: "Cat", name: "Cat", diet: .carnivorous, categoryId: "Mammal"))))
  }

  @Test func emptyFormAddsAnAnimal() {
    var form = AnimalEditorForm(placeholder: "t1")
    #expect(form.title == "Add Animal")
    #expect(form.action == nil)
    #expect(form.categoryPlaceholder == "Select a category" && form.dietPlaceholder == "Select a diet")
    (form.name, form.diet, form.categoryId) = ("Owl", .carnivorous, "Bird")
    #expect(
      form.action
        == .ui(
          .animalEditor(.onTapAddAnimalButton(id: "t1", name: "Owl", diet: .carnivorous, categoryId: "Bird"))))
  }

  @Test func saveNeedsAllFieldsAndNoOperation() {
    let form = AnimalEditorForm(editing: .cat)
    for status in Self.settled { #expect(form.isSaveEnabled(status: status)) }
    #expect(!form.isSaveEnabled(status: .waiting))
    #expect(form.problems.isEmpty && AnimalEditorForm(placeholder: "t1").problems.count == 3)
    for change in [
      { form in form.name = "" }, { form in form.diet = nil }, { form in form.categoryId = nil },
    ] as [(inout AnimalEditorForm) -> Void] {
      var form = form
      change(&form)
      #expect(!form.isSaveEnabled(status: nil))
      #expect(form.action == nil)
    }
  }

  /// Success closes the form. Failures and actions about other animals do not.
  @Test func formClosesWhenSaved() {
    let adding = AnimalEditorForm(placeholder: "t1")
    let editing = AnimalEditorForm(editing: .cat)
    typealias Session = AnimalsAction.Data.PersistentSession
    func closes(_ form: AnimalEditorForm, _ action: Session) -> Bool {
      form.closes(at: .data(.persistentSession(action)))
    }
    #expect(closes(adding, .didAddAnimal(id: "t1", result: .success(animal: .sparrow))))
    #expect(!closes(adding, .didAddAnimal(id: "t2", result: .success(animal: .sparrow))))
    #expect(!closes(adding, .didAddAnimal(id: "t1", result: .failure(error: "e"))))
    #expect(closes(editing, .didUpdateAnimal(animalId: "Cat", result: .success(animal: .cat))))
    #expect(!closes(editing, .didUpdateAnimal(animalId: "Dog", result: .success(animal: .dog))))
    #expect(!closes(editing, .didUpdateAnimal(animalId: "Cat", result: .failure(error: "e"))))
    #expect(!closes(editing, .didDeleteAnimal(animalId: "Cat", result: .success(animal: .cat))))
    #expect(!editing.closes(at: .ui(.categoryList(.onAppear))))
  }
}
