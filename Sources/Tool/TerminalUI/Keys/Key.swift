/// What a person did on the keyboard, as far as a terminal tells it.
public enum Key: Hashable, Sendable {
  /// A character that was typed. It is never a control character.
  case character(Character)
  /// A letter or sign that was typed with Ctrl held down, in lower case. Ctrl-C, Ctrl-Z and Ctrl-\ are signals and do not
  /// arrive; Ctrl-H, Ctrl-I, Ctrl-J and Ctrl-M are the keys that send the same byte.
  case control(Character)
  /// Enter.
  case enter
  /// Escape, on its own. A key that was pressed with Alt held down arrives as this and that key.
  case escape
  /// The key that deletes backward.
  case backspace
  /// The key that deletes forward.
  case delete
  /// Insert.
  case insert
  /// Tab.
  case tab
  /// Tab with Shift held down.
  case backTab
  /// An arrow.
  case up, down, left, right
  /// A key that moves far.
  case pageUp, pageDown, home, end
  /// A function key, from 1.
  case function(Int)
  /// Text that was pasted as a whole. It can hold line feeds and any other character.
  case paste(String)
}

extension Key: CustomStringConvertible {
  /// What the key is called in help, for instance `↓`, `Ctrl-U` or `q`.
  public var description: String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .control(let character): "Ctrl-\(character.uppercased())"
    case .enter: "Enter"
    case .escape: "Esc"
    case .backspace: "Backspace"
    case .delete: "Del"
    case .insert: "Ins"
    case .tab: "Tab"
    case .backTab: "Shift-Tab"
    case .up: "↑"
    case .down: "↓"
    case .left: "←"
    case .right: "→"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .home: "Home"
    case .end: "End"
    case .function(let number): "F\(number)"
    case .paste: "paste"
    }
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// A character that was typed: `"q"`.
  ///
  /// - Parameter value: The character.
  public init(extendedGraphemeClusterLiteral value: Character) {
    self = .character(value)
  }
}
