// Made by 'swift package generate-direct-coding', which is to be run again when a type changes. Not to be edited.
//
// swift-format-ignore-file

public import JSONCoding

// MARK: City

extension City: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"id":"#)
    writer.required(self.id)
    writer.literal(#","name":"#)
    writer.required(self.name)
    writer.literal("}")
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"id":"#)
    self.id = try reader.value()
    try reader.literal(#","name":"#)
    self.name = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["id", "name"],
    samples: [
      #"{"id":"","name":""}"#,
      #"{"id":"Grüße","name":"Grüße"}"#,
      #"{"id":"a\"b","name":"a\"b"}"#,
    ],
    parts: { [] }
  )
}

// MARK: CitySales.Sales

extension CitySales.Sales: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"donuts":"#)
      writer.required(self.donuts)
      writer.literal(#","orders":"#)
      writer.required(self.orders)
      writer.literal("}")
    } else {
      writer.literal(#"{"orders":"#)
      writer.required(self.orders)
      writer.literal(#","donuts":"#)
      writer.required(self.donuts)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""donuts":"#)
      self.donuts = try reader.value()
      try reader.literal(#","orders":"#)
      self.orders = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""orders":"#)
      self.orders = try reader.value()
      try reader.literal(#","donuts":"#)
      self.donuts = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["orders", "donuts"],
    samples: [
      #"{"orders":0,"donuts":0}"#,
      #"{"orders":1,"donuts":1}"#,
      #"{"orders":-1,"donuts":-1}"#,
    ],
    parts: { [] }
  )
}

// MARK: CitySales.State

extension CitySales.State: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"cities":"#)
    writer.required(self.cities)
    writer.literal("}")
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"cities":"#)
    self.cities = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["cities"],
    samples: [
      #"{"cities":{}}"#,
      #"{"cities":{"Grüße":{}}}"#,
      #"{"cities":{"a\"b":{}}}"#,
    ],
    parts: { parts3() }
  )
}

private func parts3() -> [any DirectCodable.Type] {
  [CitySales.Sales.self]
}

// MARK: Donut

extension Donut: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"dough":"#)
      writer.required(self.dough)
      if let value = self.glaze {
        writer.literal(#","glaze":"#)
        writer.required(value)
      }
      writer.literal(#","id":"#)
      writer.required(self.id)
      writer.literal(#","name":"#)
      writer.required(self.name)
      if let value = self.topping {
        writer.literal(#","topping":"#)
        writer.required(value)
      }
      writer.literal("}")
    } else {
      writer.literal(#"{"id":"#)
      writer.required(self.id)
      writer.literal(#","name":"#)
      writer.required(self.name)
      writer.literal(#","dough":"#)
      writer.required(self.dough)
      if let value = self.glaze {
        writer.literal(#","glaze":"#)
        writer.required(value)
      }
      if let value = self.topping {
        writer.literal(#","topping":"#)
        writer.required(value)
      }
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""dough":"#)
      self.dough = try reader.value()
      self.glaze = try reader.accept(#","glaze":"#) ? .some(reader.value()) : nil
      try reader.literal(#","id":"#)
      self.id = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      self.topping = try reader.accept(#","topping":"#) ? .some(reader.value()) : nil
      try reader.literal("}")
    } else {
      try reader.literal(#""id":"#)
      self.id = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      try reader.literal(#","dough":"#)
      self.dough = try reader.value()
      self.glaze = try reader.accept(#","glaze":"#) ? .some(reader.value()) : nil
      self.topping = try reader.accept(#","topping":"#) ? .some(reader.value()) : nil
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["id", "name", "dough", "glaze", "topping"],
    samples: [
      #"{"id":0,"name":"","dough":""}"#,
      #"{"id":1,"name":"Grüße","dough":"Grüße","glaze":"Grüße","topping":"Grüße"}"#,
      #"{"id":-1,"name":"a\"b","dough":"a\"b","glaze":"a\"b","topping":"a\"b"}"#,
    ],
    parts: { [] }
  )
}

// MARK: DonutSort

extension DonutSort: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    switch self {
    case .menu: writer.literal(#""menu""#)
    case .name: writer.literal(#""name""#)
    case .popularity: writer.literal(#""popularity""#)
    }
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    if reader.accept(#""popularity""#) {
      self = .popularity
    } else if reader.accept(#""menu""#) {
      self = .menu
    } else if reader.accept(#""name""#) {
      self = .name
    } else {
      throw DirectMismatch()
    }
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #""menu""#,
      #""name""#,
      #""popularity""#,
    ],
    parts: { [] }
  )
}

// MARK: FoodTruckAction

extension FoodTruckAction: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .ui(let value0):
      writer.literal(#"{"ui":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .data(let value0):
      writer.literal(#"{"data":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read6(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"ui":{"_0":{"orderDetailView":{"_0":{"onTapStatusButton":{"orderID":""}}}}}}"#,
      #"{"data":{"_0":{"modelListener":{"_0":{"didReceiveOrders":{"_0":[]}}}}}}"#,
    ],
    parts: { parts6() }
  )
}

private func read6(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"ui":{"_0":"#) {
    let value0: FoodTruckAction.UI
    value0 = try reader.value()
    try reader.literal("}}")
    return .ui(value0)
  }
  if reader.accept(#"{"data":{"_0":"#) {
    let value0: FoodTruckAction.Data
    value0 = try reader.value()
    try reader.literal("}}")
    return .data(value0)
  }
  throw DirectMismatch()
}

extension FoodTruckAction: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .ui(let value0): writer.literal("ui."); value0.writeType(directly: &writer)
    case .data(let value0): writer.literal("data."); value0.writeType(directly: &writer)
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .ui(let value0): value0.writeData(directly: &writer)
    case .data(let value0): value0.writeData(directly: &writer)
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action6(&type, &data)
  }
}

private func action6(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction {
  if type.accept("ui.") {
    return try .ui(.init(type: &type, data: &data))
  }
  if type.accept("data.") {
    return try .data(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts6() -> [any DirectCodable.Type] {
  [FoodTruckAction.Data.self, FoodTruckAction.UI.self]
}

// MARK: FoodTruckAction.Data

extension FoodTruckAction.Data: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .modelListener(let value0):
      writer.literal(#"{"modelListener":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .storeListener(let value0):
      writer.literal(#"{"storeListener":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read7(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"modelListener":{"_0":{"didReceiveOrders":{"_0":[]}}}}"#,
      #"{"storeListener":{"_0":{"didPlaceOrder":{"order":{"id":"","status":"placed","donutIDs":[],"sales":{},"cityID":"","creationDate":"2001-01-01T00:00:00Z"}}}}}"#,
    ],
    parts: { parts7() }
  )
}

private func read7(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction.Data {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"modelListener":{"_0":"#) {
    let value0: FoodTruckAction.Data.ModelListener
    value0 = try reader.value()
    try reader.literal("}}")
    return .modelListener(value0)
  }
  if reader.accept(#"{"storeListener":{"_0":"#) {
    let value0: FoodTruckAction.Data.StoreListener
    value0 = try reader.value()
    try reader.literal("}}")
    return .storeListener(value0)
  }
  throw DirectMismatch()
}

extension FoodTruckAction.Data: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .modelListener(let value0): writer.literal("modelListener."); value0.writeType(directly: &writer)
    case .storeListener(let value0): writer.literal("storeListener."); value0.writeType(directly: &writer)
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .modelListener(let value0): value0.writeData(directly: &writer)
    case .storeListener(let value0): value0.writeData(directly: &writer)
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action7(&type, &data)
  }
}

private func action7(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction.Data {
  if type.accept("modelListener.") {
    return try .modelListener(.init(type: &type, data: &data))
  }
  if type.accept("storeListener.") {
    return try .storeListener(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts7() -> [any DirectCodable.Type] {
  [FoodTruckAction.Data.ModelListener.self, FoodTruckAction.Data.StoreListener.self]
}

// MARK: FoodTruckAction.Data.ModelListener

extension FoodTruckAction.Data.ModelListener: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didReceiveOrders(let value0):
      writer.literal(#"{"didReceiveOrders":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didReceiveDonuts(let value0):
      writer.literal(#"{"didReceiveDonuts":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read8(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"didReceiveOrders":{"_0":[]}}"#,
      #"{"didReceiveOrders":{"_0":[{"id":"","status":"placed","donuts":[],"sales":{},"cityID":"","creationDate":"2001-01-01T00:00:00Z"}]}}"#,
      #"{"didReceiveDonuts":{"_0":[]}}"#,
      #"{"didReceiveDonuts":{"_0":[{"id":0,"name":"","dough":""}]}}"#,
    ],
    parts: { parts8() }
  )
}

private func read8(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction.Data.ModelListener {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didReceiveOrders":{"_0":"#) {
    let value0: Swift.Array<Order>
    value0 = try reader.value()
    try reader.literal("}}")
    return .didReceiveOrders(value0)
  }
  if reader.accept(#"{"didReceiveDonuts":{"_0":"#) {
    let value0: Swift.Array<Donut>
    value0 = try reader.value()
    try reader.literal("}}")
    return .didReceiveDonuts(value0)
  }
  throw DirectMismatch()
}

extension FoodTruckAction.Data.ModelListener: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didReceiveOrders: writer.literal("didReceiveOrders")
    case .didReceiveDonuts: writer.literal("didReceiveDonuts")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didReceiveOrders(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    case .didReceiveDonuts(let value0):
      writer.literal(#"{"_0":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action8(&type, &data)
  }
}

private func action8(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction.Data.ModelListener {
  if type.acceptLast("didReceiveOrders") {
    let value0: Swift.Array<Order>
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didReceiveOrders(value0)
  }
  if type.acceptLast("didReceiveDonuts") {
    let value0: Swift.Array<Donut>
    try data.literal(#"{"_0":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didReceiveDonuts(value0)
  }
  throw DirectMismatch()
}

private func parts8() -> [any DirectCodable.Type] {
  [Donut.self, Order.self]
}

// MARK: FoodTruckAction.Data.StoreListener

extension FoodTruckAction.Data.StoreListener: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didPlaceOrder(order: let value0):
      writer.literal(#"{"didPlaceOrder":{"order":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didStartActivity(orderID: let value0):
      writer.literal(#"{"didStartActivity":{"orderID":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didEndActivity(orderID: let value0):
      writer.literal(#"{"didEndActivity":{"orderID":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read9(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"didPlaceOrder":{"order":{"id":"","status":"placed","donutIDs":[],"sales":{},"cityID":"","creationDate":"2001-01-01T00:00:00Z"}}}"#,
      #"{"didStartActivity":{"orderID":""}}"#,
      #"{"didStartActivity":{"orderID":"Grüße"}}"#,
      #"{"didStartActivity":{"orderID":"a\"b"}}"#,
      #"{"didEndActivity":{"orderID":""}}"#,
      #"{"didEndActivity":{"orderID":"Grüße"}}"#,
      #"{"didEndActivity":{"orderID":"a\"b"}}"#,
    ],
    parts: { parts9() }
  )
}

private func read9(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction.Data.StoreListener {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didPlaceOrder":{"order":"#) {
    let value0: Order.BackingData
    value0 = try reader.value()
    try reader.literal("}}")
    return .didPlaceOrder(order: value0)
  }
  if reader.accept(#"{"didStartActivity":{"orderID":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .didStartActivity(orderID: value0)
  }
  if reader.accept(#"{"didEndActivity":{"orderID":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .didEndActivity(orderID: value0)
  }
  throw DirectMismatch()
}

extension FoodTruckAction.Data.StoreListener: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didPlaceOrder: writer.literal("didPlaceOrder")
    case .didStartActivity: writer.literal("didStartActivity")
    case .didEndActivity: writer.literal("didEndActivity")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didPlaceOrder(order: let value0):
      writer.literal(#"{"order":"#)
      writer.required(value0)
      writer.literal("}")
    case .didStartActivity(orderID: let value0):
      writer.literal(#"{"orderID":"#)
      writer.required(value0)
      writer.literal("}")
    case .didEndActivity(orderID: let value0):
      writer.literal(#"{"orderID":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action9(&type, &data)
  }
}

private func action9(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction.Data.StoreListener {
  if type.acceptLast("didPlaceOrder") {
    let value0: Order.BackingData
    try data.literal(#"{"order":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didPlaceOrder(order: value0)
  }
  if type.acceptLast("didStartActivity") {
    let value0: Swift.String
    try data.literal(#"{"orderID":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didStartActivity(orderID: value0)
  }
  if type.acceptLast("didEndActivity") {
    let value0: Swift.String
    try data.literal(#"{"orderID":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didEndActivity(orderID: value0)
  }
  throw DirectMismatch()
}

private func parts9() -> [any DirectCodable.Type] {
  [Order.BackingData.self]
}

// MARK: FoodTruckAction.UI

extension FoodTruckAction.UI: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .orderDetailView(let value0):
      writer.literal(#"{"orderDetailView":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .ordersView(let value0):
      writer.literal(#"{"ordersView":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .donutEditor(let value0):
      writer.literal(#"{"donutEditor":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read10(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"orderDetailView":{"_0":{"onTapStatusButton":{"orderID":""}}}}"#,
      #"{"ordersView":{"_0":{"onTapCompleteOrderButton":{"orderID":""}}}}"#,
      #"{"donutEditor":{"_0":{"onTapSaveDonutButton":{"donut":{"id":0,"name":"","dough":""}}}}}"#,
    ],
    parts: { parts10() }
  )
}

private func read10(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction.UI {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"orderDetailView":{"_0":"#) {
    let value0: FoodTruckAction.UI.OrderDetailView
    value0 = try reader.value()
    try reader.literal("}}")
    return .orderDetailView(value0)
  }
  if reader.accept(#"{"ordersView":{"_0":"#) {
    let value0: FoodTruckAction.UI.OrdersView
    value0 = try reader.value()
    try reader.literal("}}")
    return .ordersView(value0)
  }
  if reader.accept(#"{"donutEditor":{"_0":"#) {
    let value0: FoodTruckAction.UI.DonutEditor
    value0 = try reader.value()
    try reader.literal("}}")
    return .donutEditor(value0)
  }
  throw DirectMismatch()
}

extension FoodTruckAction.UI: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .orderDetailView(let value0): writer.literal("orderDetailView."); value0.writeType(directly: &writer)
    case .ordersView(let value0): writer.literal("ordersView."); value0.writeType(directly: &writer)
    case .donutEditor(let value0): writer.literal("donutEditor."); value0.writeType(directly: &writer)
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .orderDetailView(let value0): value0.writeData(directly: &writer)
    case .ordersView(let value0): value0.writeData(directly: &writer)
    case .donutEditor(let value0): value0.writeData(directly: &writer)
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action10(&type, &data)
  }
}

private func action10(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction.UI {
  if type.accept("orderDetailView.") {
    return try .orderDetailView(.init(type: &type, data: &data))
  }
  if type.accept("ordersView.") {
    return try .ordersView(.init(type: &type, data: &data))
  }
  if type.accept("donutEditor.") {
    return try .donutEditor(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts10() -> [any DirectCodable.Type] {
  [FoodTruckAction.UI.DonutEditor.self, FoodTruckAction.UI.OrderDetailView.self, FoodTruckAction.UI.OrdersView.self]
}

// MARK: FoodTruckAction.UI.DonutEditor

extension FoodTruckAction.UI.DonutEditor: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onTapSaveDonutButton(donut: let value0):
      writer.literal(#"{"onTapSaveDonutButton":{"donut":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read11(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onTapSaveDonutButton":{"donut":{"id":0,"name":"","dough":""}}}"#,
    ],
    parts: { parts11() }
  )
}

private func read11(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction.UI.DonutEditor {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onTapSaveDonutButton":{"donut":"#) {
    let value0: Donut
    value0 = try reader.value()
    try reader.literal("}}")
    return .onTapSaveDonutButton(donut: value0)
  }
  throw DirectMismatch()
}

extension FoodTruckAction.UI.DonutEditor: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onTapSaveDonutButton: writer.literal("onTapSaveDonutButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onTapSaveDonutButton(donut: let value0):
      writer.literal(#"{"donut":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action11(&type, &data)
  }
}

private func action11(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction.UI.DonutEditor {
  if type.acceptLast("onTapSaveDonutButton") {
    let value0: Donut
    try data.literal(#"{"donut":"#)
    value0 = try data.value()
    try data.literal("}")
    return .onTapSaveDonutButton(donut: value0)
  }
  throw DirectMismatch()
}

private func parts11() -> [any DirectCodable.Type] {
  [Donut.self]
}

// MARK: FoodTruckAction.UI.OrderDetailView

extension FoodTruckAction.UI.OrderDetailView: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onTapStatusButton(orderID: let value0):
      writer.literal(#"{"onTapStatusButton":{"orderID":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read12(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onTapStatusButton":{"orderID":""}}"#,
      #"{"onTapStatusButton":{"orderID":"Grüße"}}"#,
      #"{"onTapStatusButton":{"orderID":"a\"b"}}"#,
    ],
    parts: { [] }
  )
}

private func read12(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction.UI.OrderDetailView {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onTapStatusButton":{"orderID":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .onTapStatusButton(orderID: value0)
  }
  throw DirectMismatch()
}

extension FoodTruckAction.UI.OrderDetailView: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onTapStatusButton: writer.literal("onTapStatusButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onTapStatusButton(orderID: let value0):
      writer.literal(#"{"orderID":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action12(&type, &data)
  }
}

private func action12(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction.UI.OrderDetailView {
  if type.acceptLast("onTapStatusButton") {
    let value0: Swift.String
    try data.literal(#"{"orderID":"#)
    value0 = try data.value()
    try data.literal("}")
    return .onTapStatusButton(orderID: value0)
  }
  throw DirectMismatch()
}

// MARK: FoodTruckAction.UI.OrdersView

extension FoodTruckAction.UI.OrdersView: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onTapCompleteOrderButton(orderID: let value0):
      writer.literal(#"{"onTapCompleteOrderButton":{"orderID":"#)
      writer.required(value0)
      writer.literal("}}")
    case .onTapAddOrderButton:
      writer.literal(#"{"onTapAddOrderButton":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read13(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onTapCompleteOrderButton":{"orderID":""}}"#,
      #"{"onTapCompleteOrderButton":{"orderID":"Grüße"}}"#,
      #"{"onTapCompleteOrderButton":{"orderID":"a\"b"}}"#,
      #"{"onTapAddOrderButton":{}}"#,
    ],
    parts: { [] }
  )
}

private func read13(_ reader: inout DirectReader) throws(DirectMismatch) -> FoodTruckAction.UI.OrdersView {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onTapCompleteOrderButton":{"orderID":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .onTapCompleteOrderButton(orderID: value0)
  }
  if reader.accept(#"{"onTapAddOrderButton":{}}"#) {
    return .onTapAddOrderButton
  }
  throw DirectMismatch()
}

extension FoodTruckAction.UI.OrdersView: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onTapCompleteOrderButton: writer.literal("onTapCompleteOrderButton")
    case .onTapAddOrderButton: writer.literal("onTapAddOrderButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onTapCompleteOrderButton(orderID: let value0):
      writer.literal(#"{"orderID":"#)
      writer.required(value0)
      writer.literal("}")
    case .onTapAddOrderButton:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action13(&type, &data)
  }
}

private func action13(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> FoodTruckAction.UI.OrdersView {
  if type.acceptLast("onTapCompleteOrderButton") {
    let value0: Swift.String
    try data.literal(#"{"orderID":"#)
    value0 = try data.value()
    try data.literal("}")
    return .onTapCompleteOrderButton(orderID: value0)
  }
  if type.acceptLast("onTapAddOrderButton") {
    try data.literal("{}")
    return .onTapAddOrderButton
  }
  throw DirectMismatch()
}

// MARK: FoodTruckState

extension FoodTruckState: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"activities":"#)
      writer.required(self.activities)
      writer.literal(#","donuts":"#)
      writer.required(self.donuts)
      writer.literal(#","orders":"#)
      writer.required(self.orders)
      writer.literal("}")
    } else {
      writer.literal(#"{"orders":"#)
      writer.required(self.orders)
      writer.literal(#","donuts":"#)
      writer.required(self.donuts)
      writer.literal(#","activities":"#)
      writer.required(self.activities)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""activities":"#)
      self.activities = try reader.value()
      try reader.literal(#","donuts":"#)
      self.donuts = try reader.value()
      try reader.literal(#","orders":"#)
      self.orders = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""orders":"#)
      self.orders = try reader.value()
      try reader.literal(#","donuts":"#)
      self.donuts = try reader.value()
      try reader.literal(#","activities":"#)
      self.activities = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["orders", "donuts", "activities"],
    samples: [
      #"{"orders":{},"donuts":{},"activities":[]}"#,
      #"{"orders":{"Grüße":{"id":"","status":"placed","donutIDs":[],"sales":{},"cityID":"","creationDate":"2001-01-01T00:00:00Z"}},"donuts":{"1":{"id":0,"name":"","dough":""}},"activities":[""]}"#,
      #"{"orders":{"a\"b":{"id":"","status":"placed","donutIDs":[],"sales":{},"cityID":"","creationDate":"2001-01-01T00:00:00Z"}},"donuts":{"-1":{"id":0,"name":"","dough":""}},"activities":[""]}"#,
    ],
    parts: { parts14() }
  )
}

private func parts14() -> [any DirectCodable.Type] {
  [Donut.self, Order.BackingData.self]
}

// MARK: Order

extension Order: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"cityID":"#)
      writer.required(self.cityID)
      writer.literal(#","creationDate":"#)
      writer.required(self.creationDate)
      writer.literal(#","donuts":"#)
      writer.required(self.donuts)
      writer.literal(#","id":"#)
      writer.required(self.id)
      writer.literal(#","sales":"#)
      writer.required(self.sales)
      writer.literal(#","status":"#)
      writer.required(self.status)
      writer.literal("}")
    } else {
      writer.literal(#"{"id":"#)
      writer.required(self.id)
      writer.literal(#","status":"#)
      writer.required(self.status)
      writer.literal(#","donuts":"#)
      writer.required(self.donuts)
      writer.literal(#","sales":"#)
      writer.required(self.sales)
      writer.literal(#","cityID":"#)
      writer.required(self.cityID)
      writer.literal(#","creationDate":"#)
      writer.required(self.creationDate)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""cityID":"#)
      self.cityID = try reader.value()
      try reader.literal(#","creationDate":"#)
      self.creationDate = try reader.value()
      try reader.literal(#","donuts":"#)
      self.donuts = try reader.value()
      try reader.literal(#","id":"#)
      self.id = try reader.value()
      try reader.literal(#","sales":"#)
      self.sales = try reader.value()
      try reader.literal(#","status":"#)
      self.status = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""id":"#)
      self.id = try reader.value()
      try reader.literal(#","status":"#)
      self.status = try reader.value()
      try reader.literal(#","donuts":"#)
      self.donuts = try reader.value()
      try reader.literal(#","sales":"#)
      self.sales = try reader.value()
      try reader.literal(#","cityID":"#)
      self.cityID = try reader.value()
      try reader.literal(#","creationDate":"#)
      self.creationDate = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["id", "status", "donuts", "sales", "cityID", "creationDate"],
    samples: [
      #"{"id":"","status":"placed","donuts":[],"sales":{},"cityID":"","creationDate":"2001-01-01T00:00:00Z"}"#,
      #"{"id":"Grüße","status":"placed","donuts":[{"id":0,"name":"","dough":""}],"sales":{"1":0},"cityID":"Grüße","creationDate":"2026-11-21T09:00:05.5Z"}"#,
      #"{"id":"a\"b","status":"placed","donuts":[{"id":0,"name":"","dough":""}],"sales":{"-1":0},"cityID":"a\"b","creationDate":-1000000000000}"#,
    ],
    parts: { parts15() }
  )
}

private func parts15() -> [any DirectCodable.Type] {
  [Donut.self, OrderStatus.self]
}

// MARK: Order.BackingData

extension Order.BackingData: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"cityID":"#)
      writer.required(self.cityID)
      writer.literal(#","creationDate":"#)
      writer.required(self.creationDate)
      writer.literal(#","donutIDs":"#)
      writer.required(self.donutIDs)
      writer.literal(#","id":"#)
      writer.required(self.id)
      writer.literal(#","sales":"#)
      writer.required(self.sales)
      writer.literal(#","status":"#)
      writer.required(self.status)
      writer.literal("}")
    } else {
      writer.literal(#"{"id":"#)
      writer.required(self.id)
      writer.literal(#","status":"#)
      writer.required(self.status)
      writer.literal(#","donutIDs":"#)
      writer.required(self.donutIDs)
      writer.literal(#","sales":"#)
      writer.required(self.sales)
      writer.literal(#","cityID":"#)
      writer.required(self.cityID)
      writer.literal(#","creationDate":"#)
      writer.required(self.creationDate)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""cityID":"#)
      self.cityID = try reader.value()
      try reader.literal(#","creationDate":"#)
      self.creationDate = try reader.value()
      try reader.literal(#","donutIDs":"#)
      self.donutIDs = try reader.value()
      try reader.literal(#","id":"#)
      self.id = try reader.value()
      try reader.literal(#","sales":"#)
      self.sales = try reader.value()
      try reader.literal(#","status":"#)
      self.status = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""id":"#)
      self.id = try reader.value()
      try reader.literal(#","status":"#)
      self.status = try reader.value()
      try reader.literal(#","donutIDs":"#)
      self.donutIDs = try reader.value()
      try reader.literal(#","sales":"#)
      self.sales = try reader.value()
      try reader.literal(#","cityID":"#)
      self.cityID = try reader.value()
      try reader.literal(#","creationDate":"#)
      self.creationDate = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["id", "status", "donutIDs", "sales", "cityID", "creationDate"],
    samples: [
      #"{"id":"","status":"placed","donutIDs":[],"sales":{},"cityID":"","creationDate":"2001-01-01T00:00:00Z"}"#,
      #"{"id":"Grüße","status":"placed","donutIDs":[0],"sales":{"1":0},"cityID":"Grüße","creationDate":"2026-11-21T09:00:05.5Z"}"#,
      #"{"id":"a\"b","status":"placed","donutIDs":[0],"sales":{"-1":0},"cityID":"a\"b","creationDate":-1000000000000}"#,
    ],
    parts: { parts16() }
  )
}

private func parts16() -> [any DirectCodable.Type] {
  [OrderStatus.self]
}

// MARK: OrderStatus

extension OrderStatus: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    switch self {
    case .placed: writer.literal(#""placed""#)
    case .preparing: writer.literal(#""preparing""#)
    case .ready: writer.literal(#""ready""#)
    case .completed: writer.literal(#""completed""#)
    }
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    if reader.accept(#""preparing""#) {
      self = .preparing
    } else if reader.accept(#""completed""#) {
      self = .completed
    } else if reader.accept(#""placed""#) {
      self = .placed
    } else if reader.accept(#""ready""#) {
      self = .ready
    } else {
      throw DirectMismatch()
    }
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #""placed""#,
      #""preparing""#,
      #""ready""#,
      #""completed""#,
    ],
    parts: { [] }
  )
}

// MARK: Truck

extension Truck: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"cityID":"#)
      writer.required(self.cityID)
      writer.literal(#","name":"#)
      writer.required(self.name)
      writer.literal("}")
    } else {
      writer.literal(#"{"name":"#)
      writer.required(self.name)
      writer.literal(#","cityID":"#)
      writer.required(self.cityID)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""cityID":"#)
      self.cityID = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""name":"#)
      self.name = try reader.value()
      try reader.literal(#","cityID":"#)
      self.cityID = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["name", "cityID"],
    samples: [
      #"{"name":"","cityID":""}"#,
      #"{"name":"Grüße","cityID":"Grüße"}"#,
      #"{"name":"a\"b","cityID":"a\"b"}"#,
    ],
    parts: { [] }
  )
}
