/// A key press, or a paste, as reported by a terminal.
public enum Key: Hashable, Sendable {
  /// A character; never a control character.
  case character(Character)
  /// A lowercase letter or a symbol pressed together with Ctrl.
  ///
  /// Ctrl-C, Ctrl-Z and Ctrl-\ send signals and never arrive here. Ctrl-H, Ctrl-I, Ctrl-J and Ctrl-M arrive as the keys
  /// that send the same byte: Backspace, Tab, Enter and Enter.
  case control(Character)
  /// Enter.
  case enter
  /// Escape. A key pressed together with Alt arrives as Escape followed by that key.
  case escape
  /// The key that deletes backward.
  case backspace
  /// The key that deletes forward.
  case delete
  /// Tab.
  case tab
  /// Shift-Tab.
  case backTab
  /// An arrow key.
  case up, down, left, right
  /// A key that moves by a page, or to an end.
  case pageUp, pageDown, home, end
  /// Pasted text. It can contain line feeds and any other character.
  case paste(String)
}

extension Key: CustomStringConvertible {
  /// The name of the key in help texts, for instance `↓`, `Ctrl-U` or `q`.
  public var description: String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .control(let character): "Ctrl-\(character.uppercased())"
    case .enter: "Enter"
    case .escape: "Esc"
    case .backspace: "Backspace"
    case .delete: "Del"
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
    case .paste: "paste"
    }
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// Creates the key of a character: `"q"`.
  public init(extendedGraphemeClusterLiteral value: Character) {
    self = .character(value)
  }
}

/// The binding of keys to a command of a screen.
///
/// A screen derives its bindings from its state, and uses the same bindings for its help line and for handling keys. A command can be a
/// function of the screen, or a value.
///
/// ```swift
/// let bindings: [KeyBinding<@MainActor @Sendable (Zoo) -> Void>] = [
///   KeyBinding("d", "delete", isEnabled: list.selection != nil) { zoo in zoo.delete() },
///   KeyBinding("n", "new") { zoo in zoo.add() },
/// ]
/// KeyBinding.draw(bindings, in: footer)
/// KeyBinding.command(of: key, in: bindings)?(self)
/// ```
public struct KeyBinding<Command: Sendable>: Sendable {
  /// The keys. The help line shows the first one.
  public let keys: [Key]
  /// The name of the command in the help line, in a word or two.
  public let label: String
  /// The command.
  public let command: Command
  /// Whether the command is available. The help line shows disabled bindings dimmed and in parentheses.
  public let isEnabled: Bool

  /// Creates a binding of several keys.
  public init(_ keys: [Key], _ label: String = "", isEnabled: Bool = true, _ command: Command) {
    self.keys = keys
    self.label = label
    self.command = command
    self.isEnabled = isEnabled
  }

  /// Creates a binding of a character.
  public init(_ character: Character, _ label: String = "", isEnabled: Bool = true, _ command: Command) {
    self.init([.character(character)], label, isEnabled: isEnabled, command)
  }

  /// The command of a key, by its first binding; `nil` if the key has none, or if it is disabled.
  public static func command(of key: Key, in bindings: [KeyBinding]) -> Command? {
    bindings.first { binding in binding.keys.contains(key) }.flatMap { binding in
      binding.isEnabled ? binding.command : nil
    }
  }

  /// Draws the help line, wrapped over the rows of the canvas.
  @MainActor public static func draw(_ bindings: [KeyBinding], in canvas: Canvas) {
    var row = 0
    var column = 0
    for binding in bindings {
      guard let text = binding.help else { continue }
      if column > 0, column + text.width > canvas.width {
        row += 1
        column = 0
      }
      column = canvas.write(text, row: row, column: column) + 2
    }
  }

  private var help: StyledText? {
    guard let key = keys.first else { return nil }
    return isEnabled
      ? StyledText("\(key)", .bold) + StyledText(" " + label) : StyledText("(\(key) \(label))", .dim)
  }
}
