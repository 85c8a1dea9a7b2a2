#if canImport(SwiftUI)
public import EventSourcing
public import ImmutableUI
import JSONCoding
public import SwiftUI
import TimeTravel

/// A view with a debug drawer: the same drawer as ``DrawerScreen``, for SwiftUI.
///
/// The content shows the present until the drawer is opened. Its views must read the drawer's store.
///
/// ```swift
/// DrawerView(drawer) { Content() }
/// ```
public struct DrawerView<M: Model, Content: View>: View {
  private let drawer: HistoryDrawer<M>
  private let content: Content

  /// Creates a view.
  public init(_ drawer: HistoryDrawer<M>, @ViewBuilder content: () -> Content) {
    self.drawer = drawer
    self.content = content()
  }

  /// The content, and the drawer below it.
  public var body: some View {
    VStack {
      content
      Button(drawer.isOpen ? "Live" : "Past") { drawer.isOpen ? drawer.close() : drawer.open() }
      Text(position)
      HStack {
        Button("Back") { drawer.stepBackward() }.disabled(!canStepBackward)
        Button("Forward") { drawer.stepForward() }.disabled(drawer.revision == nil)
        Button("Continue here") { drawer.branch(to: drawer.suggestedBranchPath) }.disabled(drawer.revision == nil)
      }
      ForEach(drawer.actions) { action in
        Button(title(of: action)) { drawer.move(to: .revision(action.revision)) }
      }
      ForEach(changes) { change in
        Button(change.text) { drawer.askWhoChanged(change.pointer) }
      }
      Text(drawer.blameText ?? "")
      Button("Earlier change") { drawer.askForEarlierChange() }.disabled(drawer.blame?.change == nil)
      Button("Go there") { drawer.moveToFoundChange() }.disabled(drawer.blame?.change == nil)
      Text(drawer.message ?? "")
    }
  }

  private var canStepBackward: Bool {
    drawer.revision.map { revision in revision > drawer.revisions.lowerBound } ?? false
  }

  private var position: String {
    guard drawer.isOpen else { return "" }
    return drawer.revision.map { revision in "revision \(revision) of \(drawer.revisions.upperBound)" } ?? "live"
  }

  private func title(of action: DrawerAction) -> String {
    let mark = action.revision == drawer.revision ? "› " : ""
    let cause = action.cause.map { cause in " ← \(cause)" } ?? ""
    return "\(mark)\(action.revision) \(action.type)\(cause)"
  }

  private struct Change: Identifiable {
    let id: Int
    let text: String
    let pointer: String
  }

  private var changes: [Change] {
    drawer.changes.enumerated().map { index, change in
      Change(id: index, text: change.description, pointer: change.pointer.description)
    }
  }
}

/// A view that passes the store of a drawer to an app's views, and shows the drawer below them.
///
/// The views read the store from the environment, as with a `Provider`. While the drawer is open, they show the past.
///
/// ```swift
/// PastView(\.store, HistoryDrawer(store)) { Content() }
/// ```
public struct PastView<M: Model, Content: View>: View {
  private let keyPath: WritableKeyPath<EnvironmentValues, ViewStore<M.State, M.Action>>
  private let drawer: HistoryDrawer<M>
  private let content: Content
  // A state, because views compare stores by identity.
  @SwiftUI.State private var store: ViewStore<M.State, M.Action>

  /// Creates a view.
  @MainActor public init(
    _ keyPath: WritableKeyPath<EnvironmentValues, ViewStore<M.State, M.Action>>, _ drawer: HistoryDrawer<M>,
    @ViewBuilder content: () -> Content
  ) {
    self.keyPath = keyPath
    self.drawer = drawer
    self.content = content()
    _store = SwiftUI.State(wrappedValue: ViewStore(drawer.store))
  }

  /// The content with the store in its environment, and the drawer.
  public var body: some View {
    DrawerView(drawer) { Provider(keyPath, store) { content } }
  }
}

extension PastView where M.State: EnvironmentState, M.State.EnvironmentAction == M.Action {
  /// Creates a view that passes the store of a drawer to its content, which reads it without a key path.
  public init(_ drawer: HistoryDrawer<M>, @ViewBuilder content: () -> Content) {
    self.init(M.State.storeKeyPath, drawer, content: content)
  }
}
#endif
