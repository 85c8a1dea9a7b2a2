import Foundation

/// What people look for in the list: a day and a part of the name.
struct QuakeSearch: Sendable {
  private let text: String
  private let day: ClosedRange<Date>

  init(text: String, date: Date, calendar: Calendar) {
    self.text = text
    let start = calendar.startOfDay(for: date)
    // A calendar that cannot add a day to so remote a date leaves the day's length as it mostly is.
    let end = calendar.date(byAdding: DateComponents(day: 1), to: start) ?? start.addingTimeInterval(86_400)
    day = start...max(start, end)
  }

  func includes(_ quake: Quake) -> Bool {
    day.contains(quake.time) && (text.isEmpty || quake.name.contains(text))
  }
}
