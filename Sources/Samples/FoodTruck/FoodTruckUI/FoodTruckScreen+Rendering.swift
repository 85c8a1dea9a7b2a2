import FoodTruckData
import Foundation
import ImmutableUI
import SampleSupport
package import TerminalUI

extension FoodTruckScreen {
  /// Draws the screen.
  package func render(on canvas: Canvas) {
    let notice = Notice(notices.text ?? "", style: .color(.red))
    let parts = canvas.rows(
      .fixed(1), .fixed(1), .flexible(), .fixed(isTyping ? 1 : notice.rowCount(in: canvas)), .fixed(1), .fixed(1))
    StatusLine(StyledText(truck.name), trailing: StyledText(status)).draw(in: parts[0])
    TabBar(["1 Orders", "2 Card", "3 Sales", "4 Donuts"], selectedIndex: pane.rawValue).draw(in: parts[1])
    switch overlay {
    case .detail(let view): drawDetail(view.rules, title: "Order Details", in: parts[2])
    case .completion(let view): drawDetail(view.rules, title: "Order Complete", in: parts[2])
    case .search, .editor, nil:
      switch pane {
      case .orders: drawOrders(in: parts[2])
      case .card: drawCard(in: parts[2])
      case .sales: drawSales(in: parts[2])
      case .donuts: drawGallery(in: parts[2])
      }
    }
    switch overlay {
    case .search: field.draw(in: parts[3], label: "Search")
    case .detail, .completion, .editor, nil: notice.draw(in: parts[3])
    }
    switch overlay {
    case .editor(let editor):
      editor.draw(in: canvas)
      KeyBinding.draw(Form.help, in: parts[5])
    case .search, .detail, .completion, nil:
      if !showsHelp { KeyBinding.draw(bindings, in: parts[4]) }
      guard showsHelp else {
        KeyBinding.draw(commonBindings, in: parts[5])
        break
      }
      InfoDialog("Keys", keysOf: bindings + commonBindings, below: helpRows).draw(in: canvas)
      parts[5].write("any key closes", row: 0, style: .dim)
    }
  }

  /// The keys that move the selection, which are not bindings.
  private var helpRows: [InfoDialog.Row] {
    overlay == nil ? [.init("↑ ↓ PgUp PgDn", "Select"), .init("1 2 3 4", "Show a pane")] : []
  }

  private var status: String {
    var parts = ["\(orderCount.output) \(orderCount.output == 1 ? "order" : "orders")"]
    if activities.output > 0 { parts.append("\(activities.output) in preparation") }
    if let feed { parts.append(feed.isRunning ? "live ×\(feed.speed)" : "paused") }
    return parts.joined(separator: " · ")
  }
}

// MARK: - Orders

extension FoodTruckScreen {
  private func drawOrders(in canvas: Canvas) {
    let parts = canvas.rows(.fixed(1), .fixed(1), .flexible())
    let search = orders.searchText.isEmpty ? "" : "   containing “\(orders.searchText)”"
    parts[0].write(StyledText("by \(orders.sort.title)\(search)", .dim), row: 0)
    parts[1].write("    " + Self.row("Order", "Status", "Donuts", "City", "Placed").styled(.bold), row: 0)
    let rows = orders.orders
    if rows.isEmpty {
      parts[2].write(
        StyledText(orders.searchText.isEmpty ? "no orders yet" : "no orders found", .dim), row: 1, column: 4)
    }
    let byID = Dictionary(rows.map { order in (order.id, order) }) { _, last in last }
    orderList.draw(rows.map(\.id), in: parts[2]) { orderID in
      guard let order = byID[orderID] else { return StyledText(orderID) }
      return StyledText(marked.contains(orderID) ? "● " : "  ") + row(of: order)
    }
  }

  private func row(of order: Order) -> StyledText {
    Self.row(
      order.id, order.status.rawValue, "\(order.donutCount)", City.name(of: order.cityID), time(of: order),
      style: order.isComplete ? .dim : .plain)
  }

  private static func row(
    _ id: String, _ status: String, _ donuts: String, _ city: String, _ time: String, style: CellStyle = .plain
  ) -> StyledText {
    StyledText(id, style).fitted(to: 12) + StyledText(status, style).fitted(to: 11)
      + StyledText(donuts, style).fitted(to: 6, trailing: true) + "  " + StyledText(city, style).fitted(to: 14)
      + StyledText(time, style)
  }

  private func time(of order: Order) -> String {
    // A log can contain dates beyond the range of calendars.
    guard abs(order.creationDate.timeIntervalSinceReferenceDate) < 1e11 else { return "--:--" }
    let time = calendar.dateComponents([.hour, .minute], from: order.creationDate)
    return [time.hour ?? 0, time.minute ?? 0].map { part in part < 10 ? "0\(part)" : "\(part)" }.joined(separator: ":")
  }

  private func drawDetail(_ rules: OrderDetailRules, title: String, in canvas: Canvas) {
    let inside = canvas.part(row: 1).box(StyledText(title)).part(column: 1)
    inside.write(StyledText(rules.title, .bold), row: 0)
    guard let order = rules.order else { return }
    inside.write(StyledText("\(order.status.rawValue) · \(City.name(of: order.cityID)) · \(time(of: order))"), row: 1)
    for (place, donut) in order.donuts.enumerated() {
      let count = StyledText("\(order.sales[donut.id] ?? 0)").fitted(to: 4, trailing: true)
      inside.write(count + " × " + StyledText(donut.name), row: 3 + place)
    }
  }
}

// MARK: - Gallery

extension FoodTruckScreen {
  private func drawGallery(in canvas: Canvas) {
    let parts = canvas.rows(.fixed(1), .fixed(1), .flexible())
    let search = gallery.searchText.isEmpty ? "" : "   containing “\(gallery.searchText)”"
    parts[0].write(StyledText("by \(gallery.sort.rawValue)\(search)", .dim), row: 0)
    parts[1].write("  " + Self.galleryRow("Donut", "Dough", "Glaze", "Topping", "Sold").styled(.bold), row: 0)
    let donuts = gallery.donuts
    if donuts.isEmpty {
      parts[2].write(
        StyledText(gallery.searchText.isEmpty ? "no donuts yet" : "no donuts found", .dim), row: 1, column: 2)
    }
    let byID = Dictionary(donuts.map { sales in (sales.id, sales) }) { _, last in last }
    galleryList.draw(donuts.map(\.id), in: parts[2]) { donutID in
      guard let sales = byID[donutID] else { return "" }
      let donut = sales.donut
      return Self.galleryRow(donut.name, donut.dough, donut.glaze ?? "–", donut.topping ?? "–", "\(sales.count)")
    }
  }

  private static func galleryRow(
    _ name: String, _ dough: String, _ glaze: String, _ topping: String, _ sold: String
  ) -> StyledText {
    StyledText(name).fitted(to: 18) + StyledText(dough).fitted(to: 8) + StyledText(glaze).fitted(to: 16)
      + StyledText(topping).fitted(to: 18) + StyledText(sold).fitted(to: 6, trailing: true)
  }
}

// MARK: - Card and sales

extension FoodTruckScreen {
  private func drawCard(in canvas: Canvas) {
    let columns = canvas.part(row: 1).columns(.flexible(), .flexible(), separator: true)
    let rules = card.rules
    columns[0].write(StyledText("New Orders", .bold), row: 0)
    guard let headline = rules.headline else {
      columns[0].write(StyledText("no orders yet", .dim), row: 2)
      return
    }
    columns[0].write(StyledText(headline.id, .reversed) + StyledText("  " + headline.status.rawValue), row: 2)
    columns[0].paragraph(headline.donuts.map(\.name).joined(separator: ", "), row: 3)
    for (place, order) in rules.others.enumerated() {
      columns[0].write(
        StyledText(order.id).fitted(to: 12) + StyledText(order.status.rawValue).fitted(to: 11)
          + StyledText(time(of: order)), row: 6 + place)
    }
    columns[1].write(StyledText("Top Donuts", .bold), row: 0)
    for (place, sales) in favorites.output.enumerated() {
      columns[1].write("\(place + 1). " + Self.sales(sales), row: 2 + place)
    }
  }

  private func drawSales(in canvas: Canvas) {
    guard let board else { return drawTopDonuts(in: canvas) }
    let columns = canvas.columns(.flexible(), .fixed(SalesBoard.width), separator: true)
    drawTopDonuts(in: columns[0])
    board.draw(in: columns[1])
  }

  private func drawTopDonuts(in canvas: Canvas) {
    let parts = canvas.rows(.fixed(2), .flexible())
    let city = cityID.map(City.name(of:)) ?? "All cities"
    parts[0].write(StyledText("Top 5 of ") + StyledText(city, .bold), row: 1)
    let rows = topDonuts
    if rows.isEmpty { parts[1].write(StyledText("nothing sold yet", .dim), row: 1, column: 2) }
    let most = max(1, rows.first?.count ?? 1)
    // The largest count fills the columns after the marker, the name, the count and a gap.
    let barWidth = max(1, min(30, parts[1].width - 2 - 18 - 6 - 2))
    donutList.draw(rows.map(\.id), in: parts[1]) { donutID in
      guard let sales = rows.first(where: { sales in sales.id == donutID }) else { return "" }
      let length = max(1, Int((Double(barWidth * sales.count) / Double(most)).rounded()))
      return Self.sales(sales) + "  " + StyledText(String(repeating: "█", count: length))
    }
  }

  private static func sales(_ sales: DonutSales) -> StyledText {
    StyledText(sales.donut.name).fitted(to: 18) + StyledText("\(sales.count)").fitted(to: 6, trailing: true)
  }
}
