import Foundation
import QuakesData
import TerminalUI

/// The presenter: draws a window from values, without a store.
@MainActor struct QuakesPainter {
  let page: QuakesPage
  let calendar: Calendar
  let locale: Locale
  let mapStyle: MapStyle

  private static let wideColumns = 100
  private static let listColumns = 44
  private static let highRows = 32

  func draw(_ window: inout QuakesWindow, on canvas: Canvas) {
    let notice = notice
    let rows = canvas.rows(
      .fixed(1), .flexible(), .fixed(1), .fixed(notice.map { notice in notice.rowCount(in: canvas) } ?? 0), .fixed(1))
    drawTitle(in: rows[0])
    drawBody(&window, in: rows[1])
    drawFooter(window, in: rows[2])
    notice?.draw(in: rows[3])
    drawKeys(window, in: rows[4])
    drawDialog(window, in: canvas)
  }

  private func drawTitle(in canvas: Canvas) {
    let title = QuakeTitle(page.selectedQuake, locale: locale, calendar: calendar, timeZone: calendar.timeZone)
    let text = [title.title, title.subtitle].filter { text in !text.isEmpty }.joined(separator: " · ")
    StatusLine(StyledText(" " + text, .bold), trailing: StyledText(statusText + " ")).draw(in: canvas)
  }

  private var statusText: String {
    switch page.status {
    case nil, .empty, .success: ""
    case .waiting: "waiting …"
    case .failure: "failed"
    }
  }

  private func drawBody(_ window: inout QuakesWindow, in canvas: Canvas) {
    if canvas.width >= Self.wideColumns {
      let parts = canvas.columns(.fixed(Self.listColumns), .flexible(), separator: true)
      drawList(&window, in: parts[0])
      drawMap(window, in: parts[1])
    } else if canvas.height >= Self.highRows {
      // Two fifths of the world's proportions: 360 by 144 degrees, in characters twice as high as wide.
      let parts = canvas.rows(.fixed(max(1, canvas.width / 5)), .flexible())
      drawMap(window, in: parts[0])
      drawList(&window, in: parts[1])
    } else if window.focus == .list {
      drawList(&window, in: canvas)
    } else {
      drawMap(window, in: canvas)
    }
  }
}

// MARK: - List

extension QuakesPainter {
  private func drawList(_ window: inout QuakesWindow, in canvas: Canvas) {
    let rules = page.rules(selection: window.selection.list)
    if let placeholder = rules.placeholder {
      let text = placeholder.text ?? "No earthquakes found"
      canvas.writeCentered(StyledText(text, .dim), row: canvas.height / 2)
      return
    }
    let quakes = Dictionary(page.quakes.map { quake in (quake.id, quake) }, uniquingKeysWith: { _, last in last })
    window.list.selection = window.selection.list
    window.list.draw(page.quakes.map(\.id), in: canvas, isFocused: window.focus == .list) { quakeId in
      quakes[quakeId].map { quake in row(of: quake, columns: canvas.width - 2) } ?? ""
    }
  }

  private func row(of quake: Quake, columns: Int) -> StyledText {
    let magnitude = StyledText(quake.magnitudeString(locale: locale), .color(quake.color.terminalColor))
    let time = StyledText(quake.relativeTime(to: page.now), .dim)
    // The last two columns are reserved for the scroll arrows.
    let nameColumns = max(0, columns - 4 - 2 - time.width - 2 - 2)
    return magnitude.fitted(to: 4, trailing: true) + "  " + StyledText(quake.shownName).fitted(to: nameColumns) + "  "
      + time
  }
}

// MARK: - Map

extension QuakesPainter {
  private func drawMap(_ window: QuakesWindow, in canvas: Canvas) {
    guard canvas.width > 0, canvas.height > 0 else { return }
    let picture = QuakeMapPicture(
      page.quakes, selection: window.selection.map, columns: canvas.width, rows: canvas.height,
      zoom: Double(window.zoom), center: window.mapCenter(page.selectedQuake),
      style: mapStyle)
    for (number, row) in picture.rows.enumerated() {
      // Runs of one style are written together.
      var text: StyledText = ""
      var run = ""
      var style = CellStyle.plain
      for cell in row {
        let next = self.style(of: cell)
        if next != style {
          text += StyledText(run, style)
          (run, style) = ("", next)
        }
        run.append(cell.character)
      }
      canvas.write(text + StyledText(run, style), row: number)
    }
    drawZoom(window, in: canvas)
  }

  private func style(of cell: QuakeMapPicture.Cell) -> CellStyle {
    guard let marker = cell.marker else { return CellStyle(.palette(Self.landColor)) }
    // An opaque mark is bold, and its black stroke is a reversed cell.
    let style = CellStyle(marker.color.terminalColor, marker.hasBlackStroke ? .reversed : [])
    return marker.fillOpacity == 1 ? style.adding(.bold) : style
  }

  /// The gray of the land, which is less prominent than the quakes on dark and light backgrounds.
  private static let landColor: UInt8 = 243

  private func drawZoom(_ window: QuakesWindow, in canvas: Canvas) {
    guard window.zoom > 0 else { return }
    canvas.writeTrailing(StyledText(" ×\(1 << window.zoom) ", .reversed), row: canvas.height - 1)
  }
}

// MARK: - Footer

extension QuakesPainter {
  private func drawFooter(_ window: QuakesWindow, in canvas: Canvas) {
    if let field = window.searchField {
      field.draw(in: canvas, label: "Search", placeholder: "part of a name")
      return
    }
    let rules = page.rules(selection: window.selection.list)
    let options = window.options
    let order = options.sortOrder == .forward ? "↑" : "↓"
    var parts = [
      rules.countText, rules.totalText, dateText(options.searchDate), "\(options.sortParameter.title) \(order)",
    ]
    if !options.searchText.isEmpty { parts.append("'\(options.searchText)'") }
    canvas.write(StyledText(" " + parts.joined(separator: " · ")), row: 0)
  }

  private func dateText(_ date: Date) -> String {
    date.formatted(
      Date.FormatStyle(
        date: .abbreviated, time: .omitted, locale: locale, calendar: calendar, timeZone: calendar.timeZone)
    )
  }

  /// The notice until the next key, or else the error of the last feed.
  private var notice: Notice? {
    if let notice = page.notice { return Notice(notice, style: CellStyle(.red, .bold)) }
    guard case .failure(let error) = page.status else { return nil }
    return Notice(error, style: .color(.red))
  }

  private func drawKeys(_ window: QuakesWindow, in canvas: Canvas) {
    let canvas = canvas.part(column: 1)
    if window.searchField != nil {
      canvas.write(StyledText("Enter keep  Esc clear", .dim), row: 0)
      return
    }
    switch window.dialog {
    case .refresh: canvas.write(StyledText("↑ ↓ choose  Enter refresh  Esc cancel", .dim), row: 0)
    case .detail: canvas.write(StyledText("↑ ↓ another one  any other key closes", .dim), row: 0)
    case .delete: KeyBinding.draw(ConfirmDialog.help, in: canvas)
    case .help: canvas.write(StyledText("any key closes", .dim), row: 0)
    case nil: KeyBinding.draw(window.bindings(page), in: canvas)
    }
  }
}

// Dialogs.
extension QuakesPainter {
  private func drawDialog(_ window: QuakesWindow, in canvas: Canvas) {
    switch window.dialog {
    case .refresh(let row):
      let feeds = QuakesWindow.ranges.map { entry in InfoDialog.Row(String(entry.key), entry.range.title) }
      InfoDialog("Refresh", feeds + [InfoDialog.Row("Esc", "Cancel")]).draw(in: canvas, selected: row)
    case .detail: drawDetail(in: canvas)
    case .delete(_, let question): question.draw(in: canvas)
    case .help:
      InfoDialog("Keys", keysOf: window.bindings(page), below: [.init("↑ ↓ PgUp PgDn", "select")]).draw(in: canvas)
    case nil: break
    }
  }

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
