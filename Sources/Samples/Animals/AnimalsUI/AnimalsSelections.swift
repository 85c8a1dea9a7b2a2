public import AnimalsData
public import ImmutableData
import ImmutableUI
import TreeCollections

/// The slices of the animals that screens show, each kept up to date with the least work: only actions that can change a
/// slice make it look, and it is computed only when what it depends on has changed.
///
/// Each slice keeps the id that it was read with last, so a screen that shows two categories at once has two of these.
/// Reading is observed (`Observation`).
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8 (`SelectCategoriesValues` and its like).
@MainActor public final class AnimalsSelections<Source>
where
  Source: ImmutableData.Selector & Streamer & AnyObject, Source.State == AnimalsState, Source.Action == AnimalsAction
{
  private typealias Table<Row> = AnimalsState.Table<String, Row>

  private let categoriesValues: Selection<Source, Table<Category>, [Category]>
  private let categoriesState: Selection<Source, Status?>
  private let categoryById: Selection<Source, Category?>
  private let categoryByAnimal: Selection<Source, Category?>
  private let animalsValues: Selection<Source, Table<Animal>, [Animal]>
  private let animalsState: Selection<Source, Status?>
  private let animalById: Selection<Source, Animal?>
  private let animalState: Selection<Source, Status?>

  /// Makes the slices of a store, live or of the past.
  public init(_ store: Source) {
    categoriesValues = Selection(
      store, label: "SelectCategoriesValues", filter: AnimalsFilter.filterCategories(),
      dependencySelector: AnimalsState.selectCategories(),
      outputSelector: AnimalsState.selectCategoriesValues(sort: \Category.name))
    categoriesState = Selection(
      store, label: "SelectCategoriesStatus", outputSelector: AnimalsState.selectCategoriesStatus())
    categoryById = Selection(
      store, id: String?.none, label: Self.label("SelectCategory", categoryId: nil),
      outputSelector: AnimalsState.selectCategory(categoryId: nil))
    categoryByAnimal = Selection(
      store, id: String?.none, label: Self.label("SelectCategory", animalId: nil),
      outputSelector: AnimalsState.selectCategory(animalId: nil))
    animalsValues = Selection(
      store, id: String?.none, label: Self.label("SelectAnimalsValues", categoryId: nil),
      filter: AnimalsFilter.filterAnimals(categoryId: nil),
      dependencySelector: AnimalsState.selectAnimals(categoryId: nil),
      outputSelector: AnimalsState.selectAnimalsValues(categoryId: nil, sort: \Animal.name))
    animalsState = Selection(store, label: "SelectAnimalsStatus", outputSelector: AnimalsState.selectAnimalsStatus())
    animalById = Selection(
      store, id: String?.none, label: Self.label("SelectAnimal", animalId: nil),
      outputSelector: AnimalsState.selectAnimal(animalId: nil))
    animalState = Selection(
      store, id: String?.none, label: Self.label("SelectAnimalStatus", animalId: nil),
      outputSelector: AnimalsState.selectAnimalStatus(animalId: nil))
  }
}

extension AnimalsSelections {
  /// All categories, by name.
  public var categories: [Category] { categoriesValues.output }

  /// How far fetching the categories has come.
  public var categoriesStatus: Status? { categoriesState.output }

  /// How far fetching the animals has come.
  public var animalsStatus: Status? { animalsState.output }

  /// A category.
  public func category(categoryId: Category.ID?) -> Category? {
    categoryById.update(
      id: categoryId, label: Self.label("SelectCategory", categoryId: categoryId),
      outputSelector: AnimalsState.selectCategory(categoryId: categoryId))
    return categoryById.output
  }

  /// The category of an animal.
  public func category(animalId: Animal.ID?) -> Category? {
    categoryByAnimal.update(
      id: animalId, label: Self.label("SelectCategory", animalId: animalId),
      outputSelector: AnimalsState.selectCategory(animalId: animalId))
    return categoryByAnimal.output
  }

  /// The animals of a category, by name.
  public func animals(categoryId: Category.ID?) -> [Animal] {
    animalsValues.update(
      id: categoryId, label: Self.label("SelectAnimalsValues", categoryId: categoryId),
      filter: AnimalsFilter.filterAnimals(categoryId: categoryId),
      dependencySelector: AnimalsState.selectAnimals(categoryId: categoryId),
      outputSelector: AnimalsState.selectAnimalsValues(categoryId: categoryId, sort: \Animal.name))
    return animalsValues.output
  }

  /// An animal.
  public func animal(animalId: Animal.ID?) -> Animal? {
    animalById.update(
      id: animalId, label: Self.label("SelectAnimal", animalId: animalId),
      outputSelector: AnimalsState.selectAnimal(animalId: animalId))
    return animalById.output
  }

  /// How far the last operation on a row has come.
  public func animalStatus(animalId: Animal.ID?) -> Status? {
    animalState.update(
      id: animalId, label: Self.label("SelectAnimalStatus", animalId: animalId),
      outputSelector: AnimalsState.selectAnimalStatus(animalId: animalId))
    return animalState.output
  }

  private static func label(_ name: String, categoryId: Category.ID?) -> String {
    "\(name)(categoryId: \(categoryId ?? "nil"))"
  }

  private static func label(_ name: String, animalId: Animal.ID?) -> String {
    "\(name)(animalId: \(animalId ?? "nil"))"
  }
}
