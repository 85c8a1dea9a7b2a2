import ImmutableData
import ImmutableUI
import SwiftUI

/// Root: owns the local state that selectors depend on.
struct ScoreView: View {
  @SwiftUI.State private var side = Side.left

  var body: some View {
    ScoreLine(side: side)
    ControlView()
    Button("other side") { side = side == .left ? .right : .left }
  }
}

/// A selector whose parameter comes from outside.
struct ScoreLine: View {
  private let side: Side
  @SelectScore private var score: Int

  init(side: Side) {
    self.side = side
    _score = SelectScore(side)
  }

  var body: some View { Text("\(side) \(score)") }
}

struct ControlView: View {
  @Dispatch private var dispatch
  @SelectSum private var sum
  @SelectLeader private var isAhead

  var body: some View {
    Text("sum \(sum)\(isAhead ? ", ahead by \($isAhead)" : "")")
    Button("left") { tap(.left) }
    Button("right") { tap(.right) }
    Button("more") { $isAhead += 1 }
  }

  private func tap(_ side: Side) {
    do { try dispatch(.didTapButton(side)) } catch { print("refused") }
  }
}

let store = ScoreStore(initialState: Scores(), reducer: ScoreReducer.reduce)
let screen = Screen(Provider(store) { ScoreView() })

@MainActor func show() { print(screen.draw().joined(separator: "; ")) }

/// Taps a button, and draws the screen until it shows a text.
@MainActor func tap(_ title: String, shows text: String) async {
  screen.tap(title)
  await screen.draw(until: text)
  print(text)
}

show()
await tap("left", shows: "left 1; sum 1, ahead by 1")
await tap("left", shows: "left 2; sum 2, ahead by 1")
// Local state is drawn immediately: another id is another listener, with an output of its own.
screen.tap("more")
screen.tap("other side")
show()
// The filter of the sum ignores actions on the right.
await tap("right", shows: "right 1; sum 2")
await tap("left", shows: "right 1; sum 4, ahead by 2")
await tap("left", shows: "right 1; sum 5, ahead by 2")
screen.tap("left")
show()
