/// How far the panes of a screen are scrolled, and how much of them was shown at the last drawing.
struct ScreenScrolls {
  var actions = 0
  var state = 0
  var changes = 0
  var actionRows = 1
  var stateRows = 1
  var changeRows = 1
  var changeLines = 0
}
