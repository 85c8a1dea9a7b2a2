/// What a key does on a screen, for the line of help, and whether it can do it now.
///
/// A screen makes its bindings from its state, draws them, and asks them what a key means: what help says and what
/// happens cannot differ then.
///
/// ```swift
/// let bindings = [
///   KeyBinding("d", "delete", Command.delete, isEnabled: list.selection != nil), KeyBinding("q", "quit", Command.quit),
/// ]
/// KeyBinding.draw(bindings, in: footer)
/// switch KeyBinding.command(of: key, in: bindings) { … }
/// ```
public struct KeyBinding<Command: Sendable>: Sendable {
  /// The keys; the first one is named in help.
  public let keys: [Key]
  /// What it does, in a word or two.
  public let label: String
  /// What it stands for.
  public let command: Command
  /// Whether it can do it now. Disabled ones are shown faint, in brackets, and do nothing.
  public let isEnabled: Bool

  /// Makes a binding of several keys.
  ///
  /// - Parameters:
  ///   - keys: The keys; the first one is named in help.
  ///   - label: What it does, in a word or two.
  ///   - command: What it stands for.
  ///   - isEnabled: Whether it can do it now.
  public init(_ keys: [Key], _ label: String, _ command: Command, isEnabled: Bool = true) {
    self.keys = keys
    self.label = label
    self.command = command
    self.isEnabled = isEnabled
  }

  /// Makes a binding of a character.
  ///
  /// - Parameters:
  ///   - character: The character.
  ///   - label: What it does, in a word or two.
  ///   - command: What it stands for.
  ///   - isEnabled: Whether it can do it now.
  public init(_ character: Character, _ label: String, _ command: Command, isEnabled: Bool = true) {
    self.init([.character(character)], label, command, isEnabled: isEnabled)
  }

  /// What a key means, if it means anything at this moment.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - bindings: The bindings of the screen; the first one that names the key counts.
  /// - Returns: The command; `nil` where there is none, or where it is disabled.
  public static func command(of key: Key, in bindings: [KeyBinding]) -> Command? {
    bindings.first { binding in binding.keys.contains(key) }.flatMap { binding in
      binding.isEnabled ? binding.command : nil
    }
  }

  /// Draws the bindings, in as many rows as the canvas has.
  ///
  /// - Parameters:
  ///   - bindings: The bindings.
  ///   - canvas: Where they are drawn.
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

  /// The key and what it does; `nil` where no key does it.
  private var help: StyledText? {
    guard let key = keys.first else { return nil }
    return isEnabled
      ? StyledText("\(key)", .bold) + StyledText(" " + label) : StyledText("(\(key) \(label))", .dim)
  }
}
