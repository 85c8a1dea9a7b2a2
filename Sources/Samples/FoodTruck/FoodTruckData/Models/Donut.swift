import Foundation

/// A donut that the truck sells. People can edit it.
public struct Donut: Hashable, Codable, Sendable, Identifiable {
  /// What identifies the donut.
  public let id: Int
  /// What people call it.
  public var name: String
  /// What it is made of.
  public var dough: String
  /// What covers it; `nil` for nothing.
  public var glaze: String?
  /// What lies on top; `nil` for nothing.
  public var topping: String?

  /// Makes a donut.
  public init(id: Int, name: String, dough: String, glaze: String? = nil, topping: String? = nil) {
    self.id = id
    self.name = name
    self.dough = dough
    self.glaze = glaze
    self.topping = topping
  }
}

extension Donut {
  /// Whether the name contains a text, ignoring case.
  ///
  /// - Parameter searchText: The text. Every name contains the empty one.
  /// - Complexity: O(length of the name).
  public func matches(searchText: String) -> Bool {
    name.contains(ignoringCase: searchText)
  }
}

extension String {
  /// Whether a text is in this one, ignoring case, whatever the language of the machine is.
  func contains(ignoringCase text: String) -> Bool {
    text.isEmpty || range(of: text, options: .caseInsensitive) != nil
  }
}
