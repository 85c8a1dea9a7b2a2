#if canImport(SwiftUI)
public import AnimalsData
import AnimalsUI
public import ImmutableUI
public import SwiftUI

// `AnimalsData.Category` with its module: the Objective-C runtime, which SwiftUI exports, has a type of the same name.

/// All categories, sorted by name.
@MainActor @propertyWrapper public struct SelectCategoriesValues: DynamicProperty {
  @ImmutableUI.Selector(AnimalsQuery.categories) private var categories: [AnimalsData.Category]

  /// Creates the property.
  public init() {}

  /// The categories at the last update.
  public var wrappedValue: [AnimalsData.Category] { categories }
}

/// The status of fetching the categories.
@MainActor @propertyWrapper public struct SelectCategoriesStatus: DynamicProperty {
  @ImmutableUI.Selector(AnimalsQuery.categoriesStatus) private var status: Status?

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
    _category = ImmutableUI.Selector(AnimalsQuery.category(categoryId: categoryId))
  }

  /// Creates a property for the category of an animal; `nil` selects none.
  public init(animalId: Animal.ID?) {
    _category = ImmutableUI.Selector(AnimalsQuery.category(animalId: animalId))
  }

  /// The category at the last update; `nil` if there is none.
  public var wrappedValue: AnimalsData.Category? { category }
}

/// The animals of a category, sorted by name.
@MainActor @propertyWrapper public struct SelectAnimalsValues: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, AnimalsState.Table<Animal.ID, Animal>, [Animal]> private var animals: [Animal]

  /// Creates a property for the animals of a category; `nil` selects none.
  public init(categoryId: AnimalsData.Category.ID?) {
    _animals = ImmutableUI.Selector(AnimalsQuery.animals(categoryId: categoryId))
  }

  /// The animals at the last update.
  public var wrappedValue: [Animal] { animals }
}

/// The status of fetching the animals.
@MainActor @propertyWrapper public struct SelectAnimalsStatus: DynamicProperty {
  @ImmutableUI.Selector(AnimalsQuery.animalsStatus) private var status: Status?

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
    _animal = ImmutableUI.Selector(AnimalsQuery.animal(animalId: animalId))
  }

  /// The animal at the last update; `nil` if there is none.
  public var wrappedValue: Animal? { animal }
}

/// The status of the last operation on an animal.
@MainActor @propertyWrapper public struct SelectAnimalStatus: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, Status?> private var status: Status?

  /// Creates a property for the animal with an id; `nil` selects none.
  public init(animalId: Animal.ID?) {
    _status = ImmutableUI.Selector(AnimalsQuery.animalStatus(animalId: animalId))
  }

  /// The status at the last update; `nil` before the first operation.
  public var wrappedValue: Status? { status }
}

/// The store that the views of this module read and dispatch to: a live one, or a `TimeTravelStore`.
public typealias AnimalsStore = ViewStore<AnimalsState, AnimalsAction>

extension AnimalsState: EnvironmentState {
  /// The actions of the store.
  public typealias EnvironmentAction = AnimalsAction
}

/// A property of a view that dispatches actions, and no thunks.
public typealias Dispatch = ViewDispatch<AnimalsState>
#endif
