#if canImport(SwiftUI)
import AnimalsData
import AnimalsUI
import ImmutableUI
public import SwiftUI

/// The categories, the animals of the selected category, and the selected animal.
public struct Content: View {
  @SwiftUI.State private var selectedCategoryId: AnimalsData.Category.ID?
  @SwiftUI.State private var selectedAnimalId: Animal.ID?

  /// Creates the view. A ``Provider`` passes it the store.
  public init() {}

  /// The view's content.
  public var body: some View {
    HStack {
      CategoryList { categoryId in selectedCategoryId = categoryId }
      AnimalList(categoryId: selectedCategoryId) { animalId in selectedAnimalId = animalId }
      AnimalDetail(animalId: selectedAnimalId)
    }
  }
}

struct CategoryList: View {
  @SelectCategoriesValues private var categories
  @SelectCategoriesStatus private var status
  @Dispatch private var dispatch
  @SwiftUI.State private var problem = ""
  let select: @MainActor (AnimalsData.Category.ID) -> Void

  var body: some View {
    let presenter = CategoryListPresenter(categories: categories, status: status)
    VStack {
      Text(presenter.title)
      ForEach(presenter.categories) { category in
        Button(category.name) { select(category.id) }
      }
      Button(presenter.reloadTitle) { send(.onTapReloadSampleDataButton) }.disabled(!presenter.isReloadEnabled)
      Text(problem)
    }
    .onAppear { send(.onAppear) }
  }

  private func send(_ action: AnimalsAction.UI.CategoryList) {
    do { try dispatch(.ui(.categoryList(action))) } catch { problem = "\(error)" }
  }
}

struct AnimalList: View {
  @SelectCategory private var category: AnimalsData.Category?
  @SelectAnimalsValues private var animals: [Animal]
  @SelectAnimalsStatus private var status
  private let select: @MainActor (Animal.ID) -> Void

  init(categoryId: AnimalsData.Category.ID?, select: @escaping @MainActor (Animal.ID) -> Void) {
    _category = SelectCategory(categoryId: categoryId)
    _animals = SelectAnimalsValues(categoryId: categoryId)
    self.select = select
  }

  var body: some View {
    let presenter = AnimalListPresenter(category: category, animals: animals, status: status)
    VStack {
      Text(presenter.title ?? "")
      Text(presenter.placeholder ?? "")
      ForEach(presenter.animals) { animal in
        Button(animal.name) { select(animal.id) }
      }
    }
  }
}

struct AnimalDetail: View {
  @SelectAnimal private var animal: Animal?
  @SelectCategory private var category: AnimalsData.Category?
  @SelectAnimalStatus private var status: Status?
  @Dispatch private var dispatch
  @SwiftUI.State private var problem = ""

  init(animalId: Animal.ID?) {
    _animal = SelectAnimal(animalId: animalId)
    _category = SelectCategory(animalId: animalId)
    _status = SelectAnimalStatus(animalId: animalId)
  }

  var body: some View {
    let presenter = AnimalDetailPresenter(animal: animal, category: category, status: status)
    VStack {
      Text(presenter.placeholder ?? presenter.fields.map(\.value).joined(separator: ", "))
      Button(presenter.deleteTitle) { delete() }.disabled(!presenter.areButtonsEnabled)
      Text(problem)
    }
  }

  private func delete() {
    guard let animal else { return }
    do {
      try dispatch(.ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: animal.id))))
    } catch {
      problem = "\(error)"
    }
  }
}

struct ContentPreviews: PreviewProvider {
  static var previews: some View {
    Provider(store) { Content() }
  }

  private static var store: AnimalsStore {
    do { return AnimalsStore(try PreviewStore.make()) } catch {
      fatalError("the reducer rejected the sample data: \(error)")
    }
  }
}
#endif
