// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Observation

/// The drawn view: its texts and buttons. Not a part of SwiftUI.
@MainActor public final class Screen {
  private let root: any View
  private var texts: [String] = []
  private var buttons: [String: @MainActor () -> Void] = [:]
  private var states: [String: AnyObject] = [:]
  private var appeared: Set<String> = []
  private var isEnabled = true

  public init(_ root: some View) { self.root = root }

  /// Draws the view. As SwiftUI does, it finds the states of each place and updates the dynamic properties of each view,
  /// inner ones first, before it asks for the body.
  ///
  /// - Returns: The texts.
  @discardableResult public func draw() -> [String] {
    (texts, titles, buttons) = ([], [], [:])
    EnvironmentValues.current = EnvironmentValues()
    draw(root, at: "")
    return texts
  }

  /// Draws the view each time that something on it changes, until it shows these texts, without the empty ones.
  public func draw(until text: String) async {
    let (changes, notifier) = AsyncStream.makeStream(of: Void.self)
    var iterator = changes.makeAsyncIterator()
    while true {
      let shown = withObservationTracking {
        draw()
      } onChange: {
        notifier.yield()
      }
      if shown.filter({ text in !text.isEmpty }).joined(separator: "; ") == text { return }
      await iterator.next(isolation: #isolation)
    }
  }

  /// The titles of the buttons that can be tapped, from top to bottom.
  public private(set) var titles: [String] = []

  public func tap(_ title: String) {
    guard let action = buttons[title] else { fatalError("there is no button '\(title)'") }
    action()
  }

  private func draw(_ view: some View, at path: String) {
    switch view {
    case let text as Text: texts.append(text.text)
    case let button as Button where isEnabled:
      titles.append(button.title)
      buttons[button.title] = button.action
    case is Button: break
    case let container as any Container:
      var count = 0
      container.drawContents { content in
        count += 1
        draw(content, at: "\(path)/\(count)")
      }
    case let view as any Modified:
      let wasEnabled = isEnabled
      isEnabled = isEnabled && !view.isDisabled
      draw(view.original, at: "\(path)/modified")
      isEnabled = wasEnabled
      if let action = view.appearance, appeared.insert(path).inserted { action() }
    default:
      update(view, at: path)
      draw(view.body, at: path + "/body")
    }
  }

  private func update(_ value: Any, at path: String) {
    for child in Mirror(reflecting: value).children {
      guard var property = child.value as? any DynamicProperty else { continue }
      let place = "\(path).\(child.label ?? "")"
      if let state = property as? any StateProperty { states[place] = state.install(states[place]) }
      update(property, at: place)
      property.update()
    }
  }
}

/// A view that consists of others.
@MainActor protocol Container {
  func drawContents(_ draw: (any View) -> Void)
}

extension TupleView: Container {
  func drawContents(_ draw: (any View) -> Void) {
    for view in repeat each content { draw(view) }
  }
}

extension EnvironmentView: Container {
  func drawContents(_ draw: (any View) -> Void) {
    let outer = EnvironmentValues.current
    EnvironmentValues.current[keyPath: keyPath] = value
    draw(content)
    EnvironmentValues.current = outer
  }
}
