import Foundation
import QuakesData
import TerminalUI

// What stands above everything else.
extension QuakesPainter {
  func draw(_ dialog: QuakesWindow.Dialog, in canvas: Canvas) {
    switch dialog {
    case .refresh(let row):
      let feeds = QuakesWindow.ranges.map { entry in InfoDialog.Row(String(entry.key), entry.range.title) }
      InfoDialog("Refresh", feeds + [InfoDialog.Row("Esc", "Cancel")]).draw(in: canvas, selected: row)
    case .detail: drawDetail(in: canvas)
    case .deleteSelected(_, let question), .deleteAll(let question): question.draw(in: canvas)
    case .help: Self.help.draw(in: canvas)
    }
  }

  private static let help = InfoDialog(
    "Keys",
    [
      .init("↑ ↓ PgUp PgDn", "move in the list; on the map, to the nearest"),
      .init("Enter", "everything about the selected earthquake"),
      .init("Tab or m", "from the list to the map, and back"),
      .init("+ -", "look closer at the selected one, or from afar"),
      .init("r", "refresh: of the last hour, day, week or month"),
      .init("s o", "sort by time or magnitude; turn the order"),
      .init("/", "search in the names"),
      .init("[ ] t", "the day before, the next day, today"),
      .init("d D", "delete the selected one, or all"),
      .init("Esc", "deselect; then, forget the search"),
      .init("q", "quit"),
    ])

  private func drawDetail(in canvas: Canvas) {
    guard let quake = page.selectedQuake else {
      InfoDialog("Gone", [.init("", "This earthquake no longer exists.")]).draw(in: canvas)
      return
    }
    let time = quake.fullDate(locale: locale, calendar: calendar, timeZone: calendar.timeZone)
    InfoDialog(
      quake.shownName,
      [
        .init("Magnitude", "\(quake.magnitudeString(locale: locale)) (\(quake.color.rawValue))"),
        .init("Time", time), .init("", quake.relativeTime(to: page.now)), .init("Updated", updateText(of: quake)),
        .init("Place", QuakePlace(quake).text), .init("Id", quake.id),
      ]
    ).draw(in: canvas)
  }

  private func updateText(of quake: Quake) -> String {
    quake.updated.formatted(
      Date.FormatStyle(
        date: .abbreviated, time: .standard, locale: locale, calendar: calendar, timeZone: calendar.timeZone))
  }
}
