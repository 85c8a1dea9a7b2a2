/// What can happen to the food truck, by where it came from.
///
/// The names of cases and labels are the types and members of the records in a log: changing one changes the format and
/// needs a new schema version.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide.
public enum FoodTruckAction: Hashable, Codable, Sendable {
  /// Somebody did something on a screen.
  case ui(_ action: UI)
  /// The data layer has news.
  case data(_ action: Data)
}
