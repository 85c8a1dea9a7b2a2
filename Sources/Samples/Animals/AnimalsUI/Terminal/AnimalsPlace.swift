import AnimalsData
import TerminalUI

/// Where a person is on the animals' screen: local to it, and no part of the log.
public struct AnimalsPlace: Hashable, Codable, Sendable {
  var pane = 0
  var categoryId: Category.ID?
  var animalId: Animal.ID?
}

extension AnimalsScreen {
  /// Where the person is. To set it is to go there, as far as what was selected is still there.
  public var place: AnimalsPlace {
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
