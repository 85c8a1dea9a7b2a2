// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Not bound to the main actor, as in SwiftUI.
public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

/// A value that belongs to a position on the screen. A view that is created again at the same position finds it.
@propertyWrapper public struct State<Value>: DynamicProperty {
  final class Box {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private final class Location {
    var box: Box

    init(_ box: Box) { self.box = box }
  }

  private let location: Location

  public init(wrappedValue: Value) { location = Location(Box(wrappedValue)) }

  public var wrappedValue: Value {
    get { location.box.value }
    nonmutating set { location.box.value = newValue }
  }
}

protocol StateProperty {
  /// Uses the value that the position has already.
  func install(_ box: AnyObject?) -> AnyObject
}

extension State: StateProperty {
  func install(_ box: AnyObject?) -> AnyObject {
    if let box = box as? Box { location.box = box }
    return location.box
  }
}
