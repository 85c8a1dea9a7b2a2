// The additions of a product to ImmutableUI, after the guide's pattern: a key with a default store, initializers without the key
// path, a wrapper to dispatch with, and one wrapper for each slice.

import ImmutableData
import ImmutableUI
import SwiftUI

struct Scores: Equatable, Sendable {
  var left = 0
  var right = 0

  static func select(_ side: Side) -> @Sendable (Self) -> Int {
    { scores in side == .left ? scores.left : scores.right }
  }
}

enum Side: Hashable, Sendable { case left, right }

enum ScoreAction: Hashable, Sendable { case didTapButton(Side) }

enum ScoreReducer {
  struct Refusal: Error {}

  @Sendable static func reduce(state: Scores, action: ScoreAction) throws -> Scores {
    var state = state
    switch action {
    case .didTapButton(.left): state.left += 1
    case .didTapButton(.right): state.right += 1
    }
    guard state.left < 5 else { throw Refusal() }
    return state
  }
}

typealias ScoreStore = ImmutableData.Store<Scores, ScoreAction>

@MainActor private enum StoreKey: @preconcurrency EnvironmentKey {
  static let defaultValue = ScoreStore(initialState: Scores(left: -1, right: -1)) { _, _ in
    fatalError("missing provider")
  }
}

extension EnvironmentValues {
  @MainActor fileprivate var store: ScoreStore {
    get { self[StoreKey.self] }
    set { self[StoreKey.self] = newValue }
  }
}

extension Provider where Store == ScoreStore {
  init(_ store: Store, @ViewBuilder content: () -> Content) {
    self.init(\.store, store, content: content)
  }
}

@MainActor @propertyWrapper struct Dispatch: DynamicProperty {
  @ImmutableUI.Dispatcher(\.store) private var dispatcher

  var wrappedValue: (ScoreAction) throws -> Void { dispatcher.dispatch }
}

/// A parameter that changes with the view: each value is an id.
@MainActor @propertyWrapper struct SelectScore: DynamicProperty {
  @ImmutableUI.Selector<ScoreStore, Int> private var score: Int

  init(_ side: Side) {
    _score = ImmutableUI.Selector(
      \.store, id: side, label: "SelectScore(\(side))", outputSelector: OutputSelector(select: Scores.select(side)))
  }

  var wrappedValue: Int { score }
}

/// No parameter, a filter, dependencies of two types.
@MainActor @propertyWrapper struct SelectSum: DynamicProperty {
  @ImmutableUI.Selector(
    \.store, label: "SelectSum", filter: { _, action in action == .didTapButton(.left) },
    dependencySelector: { @Sendable scores in scores.left }, { @Sendable scores in "\(scores.right)" },
    outputSelector: { scores in "\(scores.left + scores.right)" })
  private var sum: String

  var wrappedValue: String { sum }
}

/// A wrapper that keeps its parameter itself and updates before each read.
@MainActor @propertyWrapper struct SelectLeader: DynamicProperty {
  @ImmutableUI.Selector<ScoreStore, Bool> private var isAhead: Bool
  @SwiftUI.State private var lead = 1

  init() {
    _isAhead = ImmutableUI.Selector(\.store, id: 1, outputSelector: { scores in scores.left >= scores.right + 1 })
  }

  nonisolated mutating func update() {
    MainActor.assumeIsolated {
      let lead = lead
      _isAhead.update(.init(id: lead, outputSelector: { scores in scores.left >= scores.right + lead }))
    }
  }

  var wrappedValue: Bool { isAhead }

  var projectedValue: Int {
    get { lead }
    nonmutating set { lead = newValue }
  }
}
