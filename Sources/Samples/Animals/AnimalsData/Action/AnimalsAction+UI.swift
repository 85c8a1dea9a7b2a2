extension AnimalsAction {
  /// What people did, by screen.
  public enum UI: Hashable, Codable, Sendable {
    /// The list of categories.
    case categoryList(_ action: CategoryList)
    /// The list of the animals of one category.
    case animalList(_ action: AnimalList)
    /// One animal.
    case animalDetail(_ action: AnimalDetail)
    /// The form that adds or edits an animal.
    case animalEditor(_ action: AnimalEditor)
  }
}

extension AnimalsAction.UI {
  /// What happened on the list of categories.
  public enum CategoryList: Hashable, Codable, Sendable {
    /// The list came into view.
    case onAppear
    /// Somebody confirmed that all changes are to be thrown away.
    case onTapReloadSampleDataButton
  }

  /// What happened on the list of animals.
  public enum AnimalList: Hashable, Codable, Sendable {
    /// The list came into view.
    case onAppear
    /// Somebody deleted a row.
    case onTapDeleteSelectedAnimalButton(animalId: Animal.ID)
  }

  /// What happened on the page of one animal.
  public enum AnimalDetail: Hashable, Codable, Sendable {
    /// Somebody confirmed that the animal is to be deleted.
    case onTapDeleteSelectedAnimalButton(animalId: Animal.ID)
  }

  /// What happened in the form.
  public enum AnimalEditor: Hashable, Codable, Sendable {
    /// Somebody saved a new animal. The id is a temporary one, made by the form; the real one comes with the result.
    case onTapAddAnimalButton(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
    /// Somebody saved changes to an animal.
    case onTapUpdateAnimalButton(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  }
}
