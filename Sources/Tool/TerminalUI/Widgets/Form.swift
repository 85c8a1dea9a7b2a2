/// A column of fields with a row of buttons, for editors.
///
/// Tab, ↓ and Enter move the focus to the next field, Shift-Tab and ↑ to the previous one. Enter presses the focused
/// button. Each field can have an error, which is shown below it. `?` shows the keys, except in a text field.
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
    /// A choice among a few values.
    case choice(String, ChoiceField)
  }

  /// The result of a key.
  public enum Outcome: Hashable, Sendable {
    /// A field handled the key, or the focus moved.
    case handled
    /// The form does not use the key.
    case ignored
    /// The button with this index was pressed.
    case pressed(Int)
    /// Esc was pressed.
    case cancelled
  }

  /// The fields, from the top.
  public var fields: [Field]
  /// The labels of the buttons.
  public let buttons: [String]
  /// The indices of the disabled buttons.
  public var disabledButtons: Set<Int> = []
  /// The error messages of invalid fields, by field index.
  public var errors: [Int: String] = [:]
  /// The index of the focused control: fields first, then buttons.
  public var focus = 0
  private var editedFields: Set<Int> = []
  private var isSubmitted = false
  private var showsKeys = false

  /// Creates a form with the focus on its first field.
  public init(_ fields: [Field], buttons: [String]) {
    self.fields = fields
    self.buttons = buttons
  }

  /// The text of a field.
  public func text(_ index: Int) -> String {
    guard case .text(_, let field) = fields[index] else { preconditionFailure("field \(index) holds no text") }
    return field.text
  }

  /// The index of the selected choice of a field; `nil` if there is none.
  public func choice(_ index: Int) -> Int? {
    guard case .choice(_, let field) = fields[index] else { preconditionFailure("field \(index) is no choice") }
    return field.selectedIndex
  }

  /// Sets the errors of the fields that were edited; after a button was pressed, those of all fields.
  ///
  /// A form that was just opened shows no errors. Call this method after each key.
  public mutating func showErrors(_ problems: [Int: String]) {
    errors = problems.filter { index, _ in isSubmitted || editedFields.contains(index) }
  }

  /// Passes a key to the focused field or button, or moves the focus.
  public mutating func handle(_ key: Key) -> Outcome {
    if showsKeys {
      showsKeys = false
      return .handled
    }
    if key == .escape { return .cancelled }
    if focus < fields.count, fieldHandles(key) { return .handled }
    let isOnButton = focus >= fields.count
    switch key {
    case .tab, .down: move(by: 1)
    case .backTab, .up: move(by: -1)
    case .right where isOnButton: move(by: 1)
    case .left where isOnButton: move(by: -1)
    case .enter where !isOnButton: move(by: 1)
    case "?": showsKeys = true
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

  /// Key bindings to show in the help line while a form is open.
  public static var help: [KeyBinding<Void>] {
    [
      KeyBinding([.tab], "next field", ()), KeyBinding([.backTab], "back", ()), KeyBinding([.left], "choose", ()),
      KeyBinding([.enter], "go on, press", ()), KeyBinding([.escape], "cancel", ()),
    ]
  }

  /// Draws the fields, their errors, and the buttons.
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
    if showsKeys { InfoDialog("Keys", keysOf: Self.help).draw(in: canvas) }
  }
}

/// A choice among a few values, changed with ← and → or with the first letter of a value.
public struct ChoiceField: Hashable, Sendable {
  /// The titles of the values.
  public let choices: [String]
  /// The index of the selected value; `nil` if there is none.
  public var selectedIndex: Int?

  /// Creates a field.
  public init(_ choices: [String], selectedIndex: Int? = nil) {
    self.choices = choices
    self.selectedIndex = selectedIndex.flatMap { index in choices.indices.contains(index) ? index : nil }
  }

  /// The title of the selected value.
  public var choice: String? { selectedIndex.map { index in choices[index] } }

  /// Changes the selection: ← and → move by one, Space selects the next value and wraps around, a letter selects the next value
  /// that begins with it.
  ///
  /// - Returns: Whether the field uses the key.
  public mutating func handle(_ key: Key) -> Bool {
    guard !choices.isEmpty else { return false }
    switch key {
    case .left: selectedIndex = max(0, (selectedIndex ?? choices.count) - 1)
    case .right: selectedIndex = min(choices.count - 1, (selectedIndex ?? -1) + 1)
    case .character(" "): selectedIndex = ((selectedIndex ?? -1) + 1) % choices.count
    case .character(let letter): return choose(letter)
    default: return false
    }
    return true
  }

  private mutating func choose(_ letter: Character) -> Bool {
    let start = (selectedIndex ?? -1) + 1
    for step in choices.indices {
      let index = (start + step) % choices.count
      if choices[index].lowercased().first == letter.lowercased().first {
        selectedIndex = index
        return true
      }
    }
    return false
  }

  /// Draws the label and the values in one row, the selected one in brackets, with `‹` and `›` where more follow.
  @MainActor public func draw(in canvas: Canvas, label: String = "", isFocused: Bool = true) {
    let start = label.isEmpty ? 0 : canvas.write(StyledText(label + ": ", isFocused ? .bold : .plain), row: 0)
    let values = choices.enumerated().map { index, choice in
      let isChosen = index == selectedIndex
      let style: CellStyle = isChosen ? (isFocused ? .reversed : .bold) : .plain
      return StyledText(isChosen ? "[\(choice)]" : " \(choice) ", style)
    }
    let shown = shownValues(of: values.map(\.width), columns: canvas.width - start)
    var column = start
    if shown.lowerBound > 0 { column = canvas.write(StyledText("‹", .dim), row: 0, column: column) }
    for value in values[shown] { column = canvas.write(value, row: 0, column: column) }
    if shown.upperBound < values.count { canvas.write(StyledText("›", .dim), row: 0, column: column) }
  }

  private func shownValues(of widths: [Int], columns: Int) -> Range<Int> {
    guard widths.reduce(0, +) > columns else { return widths.indices }
    let last = selectedIndex ?? 0
    var first = last
    var room = columns - 2 - widths[last]
    while first > 0, widths[first - 1] <= room {
      first -= 1
      room -= widths[first]
    }
    var end = last + 1
    while end < widths.count, widths[end] <= room {
      room -= widths[end]
      end += 1
    }
    return first..<end
  }
}
