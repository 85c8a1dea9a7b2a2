/// Fields below each other, and buttons: for editors.
///
/// Tab, ↓ and Enter go to the next field, Shift-Tab and ↑ to the one before; Enter on a button presses it. Each field can
/// carry an error, which is shown below it.
///
/// ```swift
/// var form = Form(
///   [.text("Name", TextField(animal.name)), .choice("Diet", ChoiceField(["Herbivore", "Carnivore"]))],
///   buttons: ["Save", "Cancel"])
/// switch form.handle(key) {
/// case .pressed(0): save(form.text(0), form.choice(1))
/// case .pressed, .cancelled: close()
/// case .handled: return .handled
/// case .ignored: return .ignored
/// }
/// ```
public struct Form: Hashable, Sendable {
  /// A field and its label.
  public enum Field: Hashable, Sendable {
    /// A line of text.
    case text(String, TextField)
    /// One of a few values.
    case choice(String, ChoiceField)
  }

  /// What a key led to.
  public enum Outcome: Hashable, Sendable {
    /// A field took it, or the focus moved.
    case handled
    /// The form has no use for it.
    case ignored
    /// A button was pressed; its place in the list of buttons.
    case pressed(Int)
    /// Esc.
    case cancelled
  }

  /// The fields, from the top.
  public var fields: [Field]
  /// The labels of the buttons.
  public let buttons: [String]
  /// The places of buttons that cannot be pressed, as long as they are here.
  public var disabledButtons: Set<Int> = []
  /// What is wrong with a field, by its place.
  public var errors: [Int: String] = [:]
  /// Where keys go: first the fields, then the buttons.
  public var focus = 0
  /// The indices of the fields whose value a key has changed.
  private var editedFields: Set<Int> = []
  /// Whether a button was pressed, enabled or not.
  private var isSubmitted = false

  /// Makes a form whose first field has the keyboard.
  ///
  /// - Parameters:
  ///   - fields: The fields, from the top.
  ///   - buttons: The labels of the buttons.
  public init(_ fields: [Field], buttons: [String]) {
    self.fields = fields
    self.buttons = buttons
  }

  /// The text of a field.
  ///
  /// - Parameter index: The place of the field, which is one for text.
  public func text(_ index: Int) -> String {
    guard case .text(_, let field) = fields[index] else { preconditionFailure("field \(index) holds no text") }
    return field.text
  }

  /// What is chosen in a field: a place among its choices, or `nil`.
  ///
  /// - Parameter index: The place of the field, which is one for choices.
  public func choice(_ index: Int) -> Int? {
    guard case .choice(_, let field) = fields[index] else { preconditionFailure("field \(index) is no choice") }
    return field.selectedIndex
  }

  /// Sets the errors of the fields that were edited; after a button was pressed, those of all fields.
  ///
  /// A form that was just opened shows no errors. Call this method after each key.
  ///
  /// - Parameter problems: The error of each invalid field, by its index.
  public mutating func showErrors(_ problems: [Int: String]) {
    errors = problems.filter { index, _ in isSubmitted || editedFields.contains(index) }
  }

  /// Hands a key to the field or button that has the keyboard, or moves on.
  ///
  /// - Parameter key: The key.
  /// - Returns: What it led to.
  public mutating func handle(_ key: Key) -> Outcome {
    if key == .escape { return .cancelled }
    if focus < fields.count, fieldHandles(key) { return .handled }
    let isOnButton = focus >= fields.count
    switch key {
    case .tab, .down: move(by: 1)
    case .backTab, .up: move(by: -1)
    case .right where isOnButton: move(by: 1)
    case .left where isOnButton: move(by: -1)
    case .enter where !isOnButton: move(by: 1)
    case .enter, .character(" "):
      guard isOnButton else { return .ignored }
      isSubmitted = true
      let button = focus - fields.count
      return disabledButtons.contains(button) ? .handled : .pressed(button)
    default: return .ignored
    }
    return .handled
  }

  private mutating func move(by step: Int) {
    let count = fields.count + buttons.count
    if count > 0 { focus = (focus + step + count) % count }
  }

  private mutating func fieldHandles(_ key: Key) -> Bool {
    switch fields[focus] {
    case .text(let label, var field):
      let text = field.text
      guard field.handle(key) else { return false }
      fields[focus] = .text(label, field)
      if field.text != text { editedFields.insert(focus) }
    case .choice(let label, var field):
      let choice = field.selectedIndex
      guard field.handle(key) else { return false }
      fields[focus] = .choice(label, field)
      if field.selectedIndex != choice { editedFields.insert(focus) }
    }
    errors[focus] = nil
    return true
  }

  /// What the keys do while a form has them, for the line of help.
  public static var help: [KeyBinding<Void>] {
    [
      KeyBinding([.tab], "next field", ()), KeyBinding([.backTab], "back", ()), KeyBinding([.left], "choose", ()),
      KeyBinding([.enter], "go on, press", ()), KeyBinding([.escape], "cancel", ()),
    ]
  }

  /// Draws the fields, their errors, and the buttons.
  ///
  /// - Parameters:
  ///   - canvas: Where the form is drawn.
  ///   - isFocused: Whether keys go to this form.
  @MainActor public func draw(in canvas: Canvas, isFocused: Bool = true) {
    var row = 0
    for (index, field) in fields.enumerated() {
      let hasFocus = isFocused && focus == index
      let line = canvas.part(row: row, height: 1)
      switch field {
      case .text(let label, let field): field.draw(in: line, label: label, isFocused: hasFocus)
      case .choice(let label, let field): field.draw(in: line, label: label, isFocused: hasFocus)
      }
      row += 1
      if let error = errors[index] {
        canvas.write(StyledText("  ! " + error, .color(.red)), row: row)
        row += 1
      }
    }
    var column = 0
    for (index, button) in buttons.enumerated() {
      let hasFocus = isFocused && focus == fields.count + index
      let style: CellStyle = disabledButtons.contains(index) ? .dim : hasFocus ? .reversed : .plain
      let text = hasFocus ? "›\(button)‹" : " \(button) "
      column = canvas.write(StyledText("[\(text)]", style), row: row + 1, column: column) + 1
    }
  }
}
