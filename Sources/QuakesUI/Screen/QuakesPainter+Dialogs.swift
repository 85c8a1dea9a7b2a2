import Foundation
import QuakesData
import TerminalUI

// What stands above everything else.
extension QuakesPainter {
  func draw(_ dialog: QuakesWindow.Dialog, in canvas: Canvas) {
    switch dialog {
    case .refresh(let row):
      drawTable(
        "Refresh", QuakesWindow.ranges.map { entry in (String(entry.key), entry.range.title) } + [("Esc", "Cancel")],
        selected: row, in: canvas)
    case .detail: drawDetail(in: canvas)
    case .deleteSelected(_, let question), .deleteAll(let question): question.draw(in: canvas)
    case .help: drawTable("Keys", Self.help, in: canvas)
    }
  }

  private static let help = [
    ("↑ ↓ PgUp PgDn", "move in the list; on the map, to the nearest"),
    ("Enter", "everything about the selected earthquake"),
    ("Tab or m", "from the list to the map, and back"),
    ("+ -", "look closer at the selected one, or from afar"),
    ("r", "refresh: of the last hour, day, week or month"),
    ("s o", "sort by time or magnitude; turn the order"),
    ("/", "search in the names"),
    ("[ ] t", "the day before, the next day, today"),
    ("d D", "delete the selected one, or all"),
    ("Esc", "deselect; then, forget the search"),
    ("q", "quit"),
  ]

  private func drawDetail(in canvas: Canvas) {
    guard let quake = page.selectedQuake else {
      drawTable("Gone", [("", "This earthquake is not there any more.")], in: canvas)
      return
    }
    let time = quake.fullDate(locale: locale, calendar: calendar, timeZone: calendar.timeZone)
    drawTable(
      quake.shownName,
      [
        ("Magnitude", "\(quake.magnitudeString(locale: locale)) (\(quake.color.rawValue))"),
        ("Time", time), ("", quake.relativeTime(to: page.now)), ("Updated", updateText(of: quake)),
        ("Place", QuakePlace(quake).text), ("Id", quake.id),
      ],
      in: canvas)
  }

  private func updateText(of quake: Quake) -> String {
    quake.updated.formatted(
      Date.FormatStyle(
        date: .abbreviated, time: .standard, locale: locale, calendar: calendar, timeZone: calendar.timeZone))
  }

  /// A frame with names and what they mean.
  private func drawTable(
    _ title: String, _ rows: [(String, String)], selected: Int? = nil, in canvas: Canvas
  ) {
    let names = rows.map { row in StyledText(row.0).width }.max() ?? 0
    let texts = rows.map { row in StyledText(row.1).width }.max() ?? 0
    let width = max(names + 2 + texts, StyledText(title).width + 2) + 4
    let frame = canvas.centred(width: width, height: rows.count + 2)
    frame.fill()
    let inside = frame.box(StyledText(title, .bold)).part(column: 1)
    for (number, row) in rows.enumerated() {
      inside.write(StyledText(row.0, .bold).fitted(to: names) + "  " + StyledText(row.1), row: number)
      if number == selected { inside.highlight(row: number, style: .reversed) }
    }
  }
}
