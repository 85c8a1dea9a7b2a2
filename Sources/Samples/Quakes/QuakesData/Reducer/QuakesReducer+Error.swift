import EventSourcing
package import JSONCoding

extension QuakesReducer {
  /// Why an action was refused, and about which quake it was.
  package struct Error: Swift.Error, Equatable {
    package enum Code: String, Sendable {
      /// The quake to delete does not exist.
      case quakeNotFound
    }

    package let code: Code
    package let quakeId: Quake.ID

    package init(code: Code, quakeId: Quake.ID) {
      self.code = code
      self.quakeId = quakeId
    }
  }
}

extension QuakesReducer.Error: PlacedError {
  /// The row that is missing.
  package var place: JSONPointer { JSONPointer(["quakes", "data", quakeId]) }
}

extension QuakesReducer.Error: CustomStringConvertible {
  package var description: String {
    switch code {
    case .quakeNotFound: "quake not found: there is no quake with the id '\(quakeId)'. The state is unchanged."
    }
  }
}
