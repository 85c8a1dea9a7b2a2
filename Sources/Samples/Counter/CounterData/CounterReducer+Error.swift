import EventSourcing
package import JSONCoding

extension CounterReducer {
  /// Why the counter refused an action, with the value and the action that met.
  package struct Error: Swift.Error, Equatable {
    package enum Code: String, Sendable {
      /// The number would leave the range of `Int`.
      case overflow
    }

    package let code: Code
    package let value: Int
    package let action: CounterAction

    package init(code: Code, value: Int, action: CounterAction) {
      self.code = code
      self.value = value
      self.action = action
    }
  }
}

extension CounterReducer.Error: PlacedError {
  /// The number.
  package var place: JSONPointer { JSONPointer(["value"]) }
}

extension CounterReducer.Error: CustomStringConvertible {
  package var description: String {
    switch code {
    case .overflow: "overflow: \(action) cannot be applied to \(value). The value is unchanged."
    }
  }
}
