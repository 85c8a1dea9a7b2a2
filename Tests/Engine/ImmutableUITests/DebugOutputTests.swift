import Foundation
import ImmutableData
import ImmutableUI
import Platform
import TestSupport
import Testing

/// The lines of guide chapter 2: in debug builds, with the flag, for listeners with a label.
@MainActor @Suite struct DebugOutputTests {
  private let store = BoardDouble(state: Board())
  private let lines = Journal<String>()

  #if DEBUG
  @Test func eachUpdateIsNotedWithTheAddressAndTheLabel() {
    let listener = DebugOutput.$current.withValue(output()) {
      AsyncListener<Board, BoardAction, Int, Int>(
        .init(
          label: "SelectA", dependencySelector: DependencySelector(select: \.a),
          outputSelector: OutputSelector(select: \.a)))
    }
    let start = "[ImmutableUI][AsyncListener]: \(address(of: listener))"
    listener.update(with: store)
    #expect(
      lines.entries == [
        "\(start) Update: SelectA", "\(start) Update Dependency: SelectA", "\(start) Update Output: SelectA",
      ])
    listener.update(with: store)
    #expect(lines.entries.dropFirst(3) == ["\(start) Update: SelectA", "\(start) Update Dependency: SelectA"])
  }

  @Test func withoutDependenciesThereIsNoLineForThem() {
    let listener = DebugOutput.$current.withValue(output()) {
      AsyncListener<Board, BoardAction, Int>(.init(label: "SelectA", outputSelector: OutputSelector(select: \.a)))
    }
    let start = "[ImmutableUI][AsyncListener]: \(address(of: listener))"
    listener.update(with: store)
    #expect(lines.entries == ["\(start) Update: SelectA", "\(start) Update Output: SelectA"])
  }

  @Test func theFlagIsReadAtEachUpdate() {
    let isEnabled = Locked(false)
    let listener = DebugOutput.$current.withValue(output { isEnabled.withLock { isEnabled in isEnabled } }) {
      AsyncListener<Board, BoardAction, Int>(.init(label: "SelectA", outputSelector: OutputSelector(select: \.a)))
    }
    listener.update(with: store)
    #expect(lines.entries.isEmpty)
    isEnabled.withLock { isEnabled in isEnabled = true }
    listener.update(with: store)
    #expect(lines.entries.count == 2)
  }

  @Test func theLabelIsReplacedWithTheID() async {
    await DebugOutput.$current.withValue(output()) {
      let listener = Listener<Board, BoardAction, Int>(
        .init(id: 1, label: "one", outputSelector: OutputSelector(select: \.a)))
      listener.listen(to: store)
      listener.update(.init(id: 1, label: "ignored", outputSelector: OutputSelector(select: \.a)))
      listener.listen(to: store)
      listener.update(.init(id: 2, label: "two", outputSelector: OutputSelector(select: \.a)))
      listener.listen(to: store)
      await store.send(.rest)
      listener.update(.init(label: "three", outputSelector: OutputSelector(select: \.a)))
      listener.listen(to: store)
    }
    #expect(labels == ["one", "two", "two", "three"])
  }

  @Test func aSelectionPassesItsLabelOn() {
    DebugOutput.$current.withValue(output()) {
      let selection = Selection(store, id: 1, label: "one", outputSelector: \.a)
      _ = selection.output
      selection.update(.init(id: 2, label: "two", outputSelector: \.a))
      _ = selection.output
      selection.update(.init(label: "three", outputSelector: \.a))
      _ = selection.output
      _ = Selection(store, label: "four", outputSelector: \.a).output
    }
    #expect(labels == ["one", "two", "three", "four"])
  }

  /// The labels of the updates, in order.
  private var labels: [String] {
    lines.entries.filter { line in line.contains(" Update: ") }.map { line in
      String(line.split(separator: ": ")[2])
    }
  }
  #endif

  @Test func withoutALabelNothingIsNoted() async {
    await DebugOutput.$current.withValue(output()) {
      let selection = Selection(store, dependencySelector: \.b, outputSelector: \.a)
      _ = selection.output
      await store.change(to: Board(a: 1, b: 1), by: .rest)
      #expect(selection.output == 1)
    }
    #expect(lines.entries.isEmpty)
  }

  @Test(arguments: [true, false])
  func theStandardOutputFollowsTheUserDefaults(isEnabled: Bool) async {
    let result =
      if isEnabled {
        await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
          UserDefaults.standard.register(defaults: ["com.northbronson.ImmutableUI.Debug": true])
          _ = Selection(BoardStore(), label: "SelectA", outputSelector: \.a).output
        }
      } else {
        await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
          _ = Selection(BoardStore(), label: "SelectA", outputSelector: \.a).output
        }
      }
    let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #if DEBUG
    #expect(text.contains("Update Output: SelectA\n") == isEnabled)
    #else
    #expect(!text.contains("ImmutableUI"))
    #endif
  }

  /// An output that writes to ``lines``.
  private func output(isEnabled: @escaping @Sendable () -> Bool = { true }) -> DebugOutput {
    DebugOutput(isEnabled: { flag in flag == "com.northbronson.ImmutableUI.Debug" && isEnabled() }) { [lines] line in
      lines.add(line)
    }
  }
}
