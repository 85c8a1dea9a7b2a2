import FoodTruckData
import TerminalUI

/// Where a person is on the food truck's screen: local to it, and no part of the log.
public struct FoodTruckPlace: Hashable, Codable, Sendable {
  var pane = 0
  var sort = OrdersSort.status
  var searchText = ""
  var orderID: Order.ID?
  var cityID: City.ID?
  var donutID: Donut.ID?
  // Optional, so that a file of an earlier version can still be read.
  var gallerySort: DonutSort?
  var gallerySearchText: String?
  var galleryDonutID: Donut.ID?
}

extension FoodTruckScreen {
  /// Where the person is. To set it is to go there, as far as what was selected is still there.
  public var place: FoodTruckPlace {
    get {
      FoodTruckPlace(
        pane: pane.rawValue, sort: orders.sort, searchText: orders.searchText, orderID: orderList.selection,
        cityID: topDonuts.cityID, donutID: donutList.selection, gallerySort: gallery.sort,
        gallerySearchText: gallery.searchText, galleryDonutID: galleryList.selection)
    }
    set {
      pane = Pane(rawValue: newValue.pane) ?? .orders
      orders.sort = newValue.sort
      orders.searchText = newValue.searchText
      orderList.selection = newValue.orderID
      // A city that is not there any more would show the sales of none as those of all.
      topDonuts.cityID = City.all.first { city in city.id == newValue.cityID }?.id
      donutList.selection = newValue.donutID
      gallery.sort = newValue.gallerySort ?? .menu
      gallery.searchText = newValue.gallerySearchText ?? ""
      galleryList.selection = newValue.galleryDonutID
      select()
    }
  }
}
