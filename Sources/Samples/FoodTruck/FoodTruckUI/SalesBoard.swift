package import FoodTruckData
import Observation
import TerminalUI

/// The sales by city and day, live or at an earlier revision. Reading is observed.
///
/// It is local state of the screen: going back changes nothing in the store or the log.
@MainActor @Observable
package final class SalesBoard {
  /// Returns the sales at a revision, from the history of the projection.
  package typealias Past = @Sendable (_ revision: Int) async throws -> CitySales.State

  /// The number of actions of one step into the past.
  package static let step = 10

  /// The displayed sales.
  package private(set) var sales = CitySales.State()
  /// The revision of ``sales``.
  package private(set) var revision = 0
  /// Whether new sales are shown as they happen.
  package private(set) var isLive = true
  /// The reason why an earlier state cannot be shown.
  package private(set) var failure: String?

  @ObservationIgnored private var latest = CitySales.State()
  @ObservationIgnored private var latestRevision = 0
  /// The revision that the user wants to see; `nil` for the latest.
  @ObservationIgnored private var target: Int?
  @ObservationIgnored private let past: Past

  /// Creates an empty board.
  package init(past: @escaping Past) {
    self.past = past
  }

  /// Takes the latest sales. A board that shows the past remembers them for later.
  package func take(_ sales: CitySales.State, at revision: Int) {
    (latest, latestRevision) = (sales, revision)
    if target == nil { showLatest() }
  }

  /// Shows the sales ``step`` actions earlier.
  package func stepBack() async { await show(max(0, (target ?? latestRevision) - Self.step)) }

  /// Shows the sales ``step`` actions later; the latest ones at the end.
  package func stepForward() async {
    guard let target, target + Self.step < latestRevision else { return showLatest() }
    await show(target + Self.step)
  }

  private func showLatest() {
    target = nil
    (sales, revision, isLive, failure) = (latest, latestRevision, true, nil)
  }

  private func show(_ revision: Int) async {
    target = revision
    let shown: Result<CitySales.State, any Error>
    do { shown = .success(try await past(revision)) } catch { shown = .failure(error) }
    // The user may have continued while the state was folded.
    guard target == revision else { return }
    isLive = false
    switch shown {
    case .success(let sales): (self.sales, self.revision, failure) = (sales, revision, nil)
    case .failure(let error): failure = "\(error)"
    }
  }
}

extension SalesBoard {
  static let width = 42

  func draw(in canvas: Canvas) {
    let parts = canvas.rows(.fixed(2), .fixed(1), .flexible())
    let point = isLive ? StyledText("  live", .color(.green)) : StyledText("  at revision \(revision)", .reversed)
    parts[0].write(StyledText("By city and day", .bold) + point, row: 1)
    parts[1].write(Self.row("Day", "City", "Orders", "Donuts").styled(.bold), row: 0)
    if let failure {
      parts[2].paragraph(failure, row: 0)
      return
    }
    let rows = sales.rows
    if rows.isEmpty { parts[2].write(StyledText("nothing sold yet", .dim), row: 0) }
    for (place, row) in rows.prefix(parts[2].height).enumerated() {
      parts[2].write(
        Self.row(row.day, City.name(of: row.cityID), "\(row.sales.orders)", "\(row.sales.donuts)"), row: place)
    }
  }

  private static func row(_ day: String, _ city: String, _ orders: String, _ donuts: String) -> StyledText {
    StyledText(day).fitted(to: 12) + StyledText(city).fitted(to: 14) + StyledText(orders).fitted(to: 7, trailing: true)
      + StyledText(donuts).fitted(to: 8, trailing: true)
  }
}
