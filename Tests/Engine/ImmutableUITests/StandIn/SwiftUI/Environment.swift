// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  /// The values of the view that is being drawn. Drawing happens on the main actor only.
  nonisolated(unsafe) static var current = EnvironmentValues()

  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

/// A value of the environment that the view was drawn in, also for what runs later, like a button's action.
@propertyWrapper public struct Environment<Value>: DynamicProperty {
  private final class Location {
    var value: Value?
  }

  private let keyPath: KeyPath<EnvironmentValues, Value>
  private let location = Location()

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

  public var wrappedValue: Value { location.value ?? EnvironmentValues.current[keyPath: keyPath] }

  public mutating func update() { location.value = EnvironmentValues.current[keyPath: keyPath] }
}

extension View {
  @MainActor public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> EnvironmentView<Value, Self> {
    EnvironmentView(keyPath: keyPath, value: value, content: self)
  }
}

public struct EnvironmentView<Value, Content: View>: View {
  let keyPath: WritableKeyPath<EnvironmentValues, Value>
  let value: Value
  let content: Content

  public var body: Never { fatalError("drawn") }
}
