public import Foundation
import SampleSupport
public import TreeCollections

/// The state of the quakes sample: one domain with a table.
///
/// The fields are private to the package; other code reads them through the selectors.
public struct QuakesState: Hashable, Codable, Sendable {
  package var quakes = Quakes()

  /// Creates the state before any action: an empty table that was never fetched.
  public init() {}
}

extension QuakesState {
  /// The quakes: a table and the status of its last fetch.
  package struct Quakes: Hashable, Codable, Sendable {
    package var data: Table<Quake.ID, Quake> = [:]
    package var status: Status?
  }
}

extension QuakesState {
  /// The type of the state's tables.
  ///
  /// A live store holds the old state while it computes the new one. A `Dictionary` would then be copied completely at
  /// every action; a `TreeDictionary` copies a few nodes. Both are encoded in the same form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}

/// The status of an asynchronous operation; `nil` if the operation was never requested.
public enum Status: Hashable, Codable, Sendable {
  /// No information. The reducer never sets it; it can occur in decoded data.
  case empty
  /// Requested, and not answered yet.
  case waiting
  case success
  /// Failed. The text is stored as reported and never recomputed, because it differs between platforms.
  case failure(error: String)
}

extension QuakesState {
  /// A selector of the quakes of one day whose name contains a text, by id. The day is closed at both ends: midnight
  /// belongs to two days, as in the guide.
  public static func selectQuakes(
    searchText: String, searchDate: Date, calendar: Calendar = .autoupdatingCurrent
  ) -> @Sendable (Self) -> Table<Quake.ID, Quake> {
    { state in
      let search = QuakeSearch(text: searchText, date: searchDate, calendar: calendar)
      return state.quakes.data.filter { _, quake in search.includes(quake) }
    }
  }

  /// A selector of the quakes of one day whose name contains a text, sorted. Those with equal values are in ascending
  /// order of their ids, whatever `order` is.
  public static func selectQuakesValues<Value: Comparable & SendableMetatype>(
    searchText: String,
    searchDate: Date,
    calendar: Calendar = .autoupdatingCurrent,
    sort: any KeyPath<Quake, Value> & Sendable,
    order: SortOrder = .forward
  ) -> @Sendable (Self) -> [Quake] {
    { state in
      let search = QuakeSearch(text: searchText, date: searchDate, calendar: calendar)
      return state.quakes.data.values.filter { quake in search.includes(quake) }.sorted(by: sort, order: order)
    }
  }

  /// A selector of the number of all quakes, independent of a search.
  public static func selectQuakesCount() -> @Sendable (Self) -> Int {
    { state in state.quakes.data.count }
  }

  /// A selector of the status of the last fetch; `nil` before the first one.
  public static func selectQuakesStatus() -> @Sendable (Self) -> Status? {
    { state in state.quakes.status }
  }

  /// A selector of one quake.
  public static func selectQuake(quakeId: Quake.ID?) -> @Sendable (Self) -> Quake? {
    { state in quakeId.flatMap { id in state.quakes.data[id] } }
  }
}

/// A search in the list: a day and a part of the name.
struct QuakeSearch: Sendable {
  private let text: String
  private let day: ClosedRange<Date>

  init(text: String, date: Date, calendar: Calendar) {
    self.text = text
    let start = calendar.startOfDay(for: date)
    // For very remote dates, the calendar cannot add a day; a day then has 24 hours.
    let end = calendar.date(byAdding: DateComponents(day: 1), to: start) ?? start.addingTimeInterval(86_400)
    day = start...max(start, end)
  }

  func includes(_ quake: Quake) -> Bool {
    day.contains(quake.time) && (text.isEmpty || quake.name.contains(text))
  }
}

/// A filter that decides in constant time, from the old state and the action, whether a selection can change.
///
/// A filter that is wrong loses updates silently; this one is tested against every action.
public enum QuakesFilter {
  /// Returns a filter for actions that can change the table of quakes.
  public static func filterQuakes() -> @Sendable (QuakesState, QuakesAction) -> Bool {
    { _, action in
      switch action {
      case .ui(.quakeList(.onTapDeleteSelectedQuakeButton)),
        .ui(.quakeList(.onTapDeleteAllQuakesButton)),
        .data(.persistentSession(.localStore(.didFetchQuakes(result: .success)))),
        .data(.persistentSession(.localStore(.didFailToDeleteQuakes))),
        .data(.persistentSession(.remoteStore(.didFetchQuakes(result: .success)))):
        true
      default:
        false
      }
    }
  }
}
