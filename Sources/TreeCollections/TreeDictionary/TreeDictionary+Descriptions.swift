extension TreeDictionary: CustomStringConvertible {
  /// The elements as `Dictionary` shows them: `["Cat": 1, "Dog": 2]`.
  public var description: String {
    list { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
  }

  private func list(_ describe: (Element) -> String) -> String {
    isEmpty ? "[:]" : "[" + map(describe).joined(separator: ", ") + "]"
  }
}

extension TreeDictionary: CustomDebugStringConvertible {
  /// The elements as `Dictionary` shows them.
  public var debugDescription: String { description }
}

extension TreeDictionary: CustomReflectable {
  /// A mirror of the elements, as that of `Dictionary`.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .dictionary)
  }
}

extension TreeDictionary.Keys: CustomStringConvertible {
  /// The keys as an array shows them.
  public var description: String { Array(self).description }
}

extension TreeDictionary.Values: CustomStringConvertible {
  /// The values as an array shows them.
  public var description: String { Array(self).description }
}
