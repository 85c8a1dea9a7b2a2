import EventSourcing
package import JSONCoding

extension AnimalsReducer {
  /// Why an action was refused, and about which row it was.
  package struct Error: Swift.Error, Equatable {
    package enum Code: String, Sendable {
      /// The action is about a row that does not exist.
      case animalNotFound
    }

    package let code: Code
    package let animalId: Animal.ID

    package init(code: Code, animalId: Animal.ID) {
      self.code = code
      self.animalId = animalId
    }
  }
}

extension AnimalsReducer.Error: PlacedError {
  /// The row that is missing.
  package var place: JSONPointer { JSONPointer(["animals", "data", animalId]) }
}

extension AnimalsReducer.Error: CustomStringConvertible {
  package var description: String {
    switch code {
    case .animalNotFound: "animal not found: there is no animal with the id '\(animalId)'. The state is unchanged."
    }
  }
}
