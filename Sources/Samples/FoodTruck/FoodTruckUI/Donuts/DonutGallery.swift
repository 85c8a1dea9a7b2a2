public import FoodTruckData
import ImmutableData

/// The gallery of all donuts: owns the search text and the sort order of one window, and reads the store.
///
/// - SeeAlso: The FoodTruck walk-through of the ImmutableData guide (`DonutGallery`).
@MainActor
public final class DonutGallery<Source: FoodTruckSource> {
  /// The text that names of donuts contain.
  public var searchText = ""
  /// The order of the donuts.
  public var sort = DonutSort.menu

  private let selectDonuts: SelectDonuts<Source>
  private let source: Source

  /// Creates a gallery.
  ///
  /// - Parameter source: The store, or a position in a history.
  public init(_ source: Source) {
    self.source = source
    selectDonuts = SelectDonuts(source)
  }

  /// The donuts that match the search text, in the sort order. Reading is observed.
  public var donuts: [DonutSales] { selectDonuts.output(searchText: searchText, sort: sort) }

  /// A form for a donut; `nil` if the gallery does not show it.
  ///
  /// - Parameter donutID: The id of the donut; `nil` for none.
  public func editForm(of donutID: Donut.ID?) -> DonutEditorForm? {
    donuts.first { sales in sales.id == donutID }.map { sales in DonutEditorForm(editing: sales.donut) }
  }

  /// A form for a new donut; `nil` if no id is left.
  public var newForm: DonutEditorForm? {
    source.select(FoodTruckState.selectNewDonutID()).map { id in DonutEditorForm(newID: id) }
  }
}
