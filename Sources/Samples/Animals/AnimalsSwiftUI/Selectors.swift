#if canImport(SwiftUI)
public import AnimalsData
import AnimalsUI
public import ImmutableUI
import SwiftUI

// `AnimalsData.Category` with its module: the Objective-C runtime, which SwiftUI exports, has a type of the same name.

/// All categories, sorted by name.
@MainActor @propertyWrapper struct SelectCategoriesValues: DynamicProperty {
  @ImmutableUI.Selector(AnimalsQuery.categories) var wrappedValue: [AnimalsData.Category]

  init() {}
}

/// The status of fetching the categories; `nil` before the first fetch.
@MainActor @propertyWrapper struct SelectCategoriesStatus: DynamicProperty {
  @ImmutableUI.Selector(AnimalsQuery.categoriesStatus) var wrappedValue: Status?

  init() {}
}

/// One category, by its id or by an animal in it; `nil` selects none.
@MainActor @propertyWrapper struct SelectCategory: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, AnimalsData.Category?> var wrappedValue: AnimalsData.Category?

  init(categoryId: AnimalsData.Category.ID?) {
    _wrappedValue = ImmutableUI.Selector(AnimalsQuery.category(categoryId: categoryId))
  }

  init(animalId: Animal.ID?) {
    _wrappedValue = ImmutableUI.Selector(AnimalsQuery.category(animalId: animalId))
  }
}

/// The animals of a category, sorted by name; `nil` selects none.
@MainActor @propertyWrapper struct SelectAnimalsValues: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, AnimalsState.Table<Animal.ID, Animal>, [Animal]> var wrappedValue: [Animal]

  init(categoryId: AnimalsData.Category.ID?) {
    _wrappedValue = ImmutableUI.Selector(AnimalsQuery.animals(categoryId: categoryId))
  }
}

/// The status of fetching the animals; `nil` before the first fetch.
@MainActor @propertyWrapper struct SelectAnimalsStatus: DynamicProperty {
  @ImmutableUI.Selector(AnimalsQuery.animalsStatus) var wrappedValue: Status?

  init() {}
}

/// One animal, by its id; `nil` selects none.
@MainActor @propertyWrapper struct SelectAnimal: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, Animal?> var wrappedValue: Animal?

  init(animalId: Animal.ID?) {
    _wrappedValue = ImmutableUI.Selector(AnimalsQuery.animal(animalId: animalId))
  }
}

/// The status of the last operation on an animal; `nil` before the first one.
@MainActor @propertyWrapper struct SelectAnimalStatus: DynamicProperty {
  @ImmutableUI.Selector<AnimalsStore, Status?> var wrappedValue: Status?

  init(animalId: Animal.ID?) {
    _wrappedValue = ImmutableUI.Selector(AnimalsQuery.animalStatus(animalId: animalId))
  }
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
