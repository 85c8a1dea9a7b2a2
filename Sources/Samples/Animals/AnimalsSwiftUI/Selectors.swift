#if canImport(SwiftUI)
public import AnimalsData
public import DebugDrawer
import ImmutableData
public import ImmutableUI
public import SwiftUI

// `AnimalsData.Category` with its module: the Objective-C runtime, which SwiftUI exports, has a type of the same name.

/// All categories, sorted by name.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
@MainActor @propertyWrapper public struct SelectCategoriesValues: DynamicProperty {
  @ImmutableUI.Selector<
    AnimalsStore, AnimalsState.Table<AnimalsData.Category.ID, AnimalsData.Category>, [AnimalsData.Category]
  >(
    label: "SelectCategoriesValues", filter: AnimalsFilter.filterCategories(),
    dependencySelector: AnimalsState.selectCategories(),
    outputSelector: AnimalsState.selectCategoriesValues(sort: \AnimalsData.Category.name))
  private var categories: [AnimalsData.Category]

  /// Creates the property.
  public init() {}

  /// The categories at the last update.
  public var wrappedValue: [AnimalsData.Category] { categories }
}

/// The status of fetching the categories.
@MainActor @propertyWrapper public struct SelectCategoriesStatus: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, Status?>(
    label: "SelectCategoriesStatus", outputSelector: AnimalsState.selectCategoriesStatus())
  private var status: Status?

  /// Creates the property.
  public init() {}

  /// The status at the last update; `nil` before the first fetch.
  public var wrappedValue: Status? { status }
}

/// One category, by its id or by an animal in it.
@MainActor @propertyWrapper public struct SelectCategory: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, AnimalsData.Category?> private var category: AnimalsData.Category?

  /// Creates a property for the category with an id; `nil` selects none.
  public init(categoryId: AnimalsData.Category.ID?) {
    _category = ImmutableUI.Selector(
      id: categoryId, label: "SelectCategory(categoryId: \(categoryId ?? "nil"))",
      outputSelector: AnimalsState.selectCategory(categoryId: categoryId))
  }

  /// Creates a property for the category of an animal; `nil` selects none.
  public init(animalId: Animal.ID?) {
    _category = ImmutableUI.Selector(
      id: animalId, label: "SelectCategory(animalId: \(animalId ?? "nil"))",
      outputSelector: AnimalsState.selectCategory(animalId: animalId))
  }

  /// The category at the last update; `nil` if there is none.
  public var wrappedValue: AnimalsData.Category? { category }
}

/// The animals of a category, sorted by name.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
@MainActor @propertyWrapper public struct SelectAnimalsValues: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, AnimalsState.Table<Animal.ID, Animal>, [Animal]> private var animals: [Animal]

  /// Creates a property for the animals of a category; `nil` selects none.
  public init(categoryId: AnimalsData.Category.ID?) {
    _animals = ImmutableUI.Selector(
      id: categoryId, label: "SelectAnimalsValues(categoryId: \(categoryId ?? "nil"))",
      filter: AnimalsFilter.filterAnimals(categoryId: categoryId),
      dependencySelector: AnimalsState.selectAnimals(categoryId: categoryId),
      outputSelector: AnimalsState.selectAnimalsValues(categoryId: categoryId, sort: \Animal.name))
  }

  /// The animals at the last update.
  public var wrappedValue: [Animal] { animals }
}

/// The status of fetching the animals.
@MainActor @propertyWrapper public struct SelectAnimalsStatus: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, Status?>(
    label: "SelectAnimalsStatus", outputSelector: AnimalsState.selectAnimalsStatus())
  private var status: Status?

  /// Creates the property.
  public init() {}

  /// The status at the last update; `nil` before the first fetch.
  public var wrappedValue: Status? { status }
}

/// One animal.
@MainActor @propertyWrapper public struct SelectAnimal: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, Animal?> private var animal: Animal?

  /// Creates a property for the animal with an id; `nil` selects none.
  public init(animalId: Animal.ID?) {
    _animal = ImmutableUI.Selector(
      id: animalId, label: "SelectAnimal(animalId: \(animalId ?? "nil"))",
      outputSelector: AnimalsState.selectAnimal(animalId: animalId))
  }

  /// The animal at the last update; `nil` if there is none.
  public var wrappedValue: Animal? { animal }
}

/// The status of the last operation on an animal.
@MainActor @propertyWrapper public struct SelectAnimalStatus: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, Status?> private var status: Status?

  /// Creates a property for the animal with an id; `nil` selects none.
  public init(animalId: Animal.ID?) {
    _status = ImmutableUI.Selector(
      id: animalId, label: "SelectAnimalStatus(animalId: \(animalId ?? "nil"))",
      outputSelector: AnimalsState.selectAnimalStatus(animalId: animalId))
  }

  /// The status at the last update; `nil` before the first operation.
  public var wrappedValue: Status? { status }
}

/// The store that the views of this module read and dispatch to: a live one, or a `TimeTravelStore`.
public typealias AnimalsStore = ViewStore<AnimalsState, AnimalsAction>

// SwiftUI reads environment values on the main actor only, as for `ImmutableUI.Selector`.
/// The environment key of the store. Its default traps at the first action: a view without a ``Provider`` is a
/// programmer error.
@MainActor private enum StoreKey: @preconcurrency EnvironmentKey {
  static let defaultValue = AnimalsStore(
    ImmutableData.Store<AnimalsState, AnimalsAction>(initialState: AnimalsState()) { _, _ in
      fatalError("missing provider")
    })
}

extension EnvironmentValues {
  @MainActor var store: AnimalsStore {
    get { self[StoreKey.self] }
    set { self[StoreKey.self] = newValue }
  }
}

extension Provider where Store == AnimalsStore {
  /// Creates a view that passes a store to its content.
  public init(_ store: Store, @ViewBuilder content: () -> Content) {
    self.init(\.store, store, content: content)
  }
}

extension PastView where M == AnimalsModel {
  /// Creates a view that passes the store of a drawer to its content, with the drawer below it.
  public init(_ drawer: HistoryDrawer<AnimalsModel>, @ViewBuilder content: () -> Content) {
    self.init(\.store, drawer, content: content)
  }
}

extension ImmutableUI.Dispatcher where Store == AnimalsStore {
  /// Creates a property that dispatches to the store of the view's ``Provider``.
  public init() {
    self.init(\.store)
  }
}

extension ImmutableUI.Selector where Store == AnimalsStore, repeat each Dependency: Equatable, Output: Equatable {
  /// Creates a property that selects from the store of the view's ``Provider``, with parameters that can change.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    id: some Hashable,
    label: String? = nil,
    filter isIncluded: (@Sendable (AnimalsState, AnimalsAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (AnimalsState) -> each Dependency,
    outputSelector: @escaping @Sendable (AnimalsState) -> Output
  ) {
    self.init(
      \.store, id: id, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }

  /// Creates a property that selects from the store of the view's ``Provider``.
  ///
  /// The parameters are those of the initializer that takes a key path.
  public init(
    label: String? = nil,
    filter isIncluded: (@Sendable (AnimalsState, AnimalsAction) -> Bool)? = nil,
    dependencySelector: repeat @escaping @Sendable (AnimalsState) -> each Dependency,
    outputSelector: @escaping @Sendable (AnimalsState) -> Output
  ) {
    self.init(
      \.store, label: label, filter: isIncluded, dependencySelector: repeat each dependencySelector,
      outputSelector: outputSelector)
  }
}

/// A property of a view that dispatches actions, and no thunks.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
@MainActor @propertyWrapper public struct Dispatch: DynamicProperty {
  @ImmutableUI.Dispatcher<AnimalsStore>() private var dispatcher

  /// Creates the property.
  public init() {}

  /// Dispatches an action. Throws the error of a reducer that rejects it.
  public var wrappedValue: (AnimalsAction) throws -> Void { dispatcher.dispatch }
}
#endif
