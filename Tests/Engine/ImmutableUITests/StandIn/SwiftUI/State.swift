// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Not bound to the main actor, as in SwiftUI.
public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

/// A value that belongs to a place on the screen: a view that is made anew in the same place finds it again.
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
  /// Takes what the place holds already.
  func install(_ box: AnyObject?) -> AnyObject
}

extension State: StateProperty {
  func install(_ box: AnyObject?) -> AnyObject {
    if let box = box as? Box { location.box = box }
    return location.box
  }
}
