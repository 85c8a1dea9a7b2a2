// Made by 'swift package generate-direct-coding', which is to be run again when a type changes. Not to be edited.
//
// swift-format-ignore-file
//
// These go through Codable:
// - RemoteResponse: its coding is written by hand
// - RemoteResponse.Feature: its coding is written by hand
// - RemoteResponse.Feature.Geometry: its coding is written by hand

public import JSONCoding

// MARK: FailureReason

extension FailureReason: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"code":"#)
    writer.required(self.code)
    writer.literal(#","message":"#)
    writer.required(self.message)
    if let value = self.place {
      writer.literal(#","place":"#)
      writer.required(value)
    }
    writer.literal("}")
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"code":"#)
    self.code = try reader.value()
    try reader.literal(#","message":"#)
    self.message = try reader.value()
    self.place = try reader.accept(#","place":"#) ? .some(reader.value()) : nil
    try reader.literal("}")
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["code", "message", "place"],
    samples: [
      #"{"code":"","message":""}"#,
      #"{"code":"Grüße","message":"Grüße","place":"Grüße"}"#,
      #"{"code":"a\"b","message":"a\"b","place":"a\"b"}"#,
    ],
    parts: { [] }
  )
}

// MARK: Quake

extension Quake: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"latitude":"#)
      writer.required(self.latitude)
      writer.literal(#","longitude":"#)
      writer.required(self.longitude)
      writer.literal(#","magnitude":"#)
      writer.required(self.magnitude)
      writer.literal(#","name":"#)
      writer.required(self.name)
      writer.literal(#","quakeId":"#)
      writer.required(self.quakeId)
      writer.literal(#","time":"#)
      writer.required(self.time)
      writer.literal(#","updated":"#)
      writer.required(self.updated)
      writer.literal("}")
    } else {
      writer.literal(#"{"quakeId":"#)
      writer.required(self.quakeId)
      writer.literal(#","magnitude":"#)
      writer.required(self.magnitude)
      writer.literal(#","time":"#)
      writer.required(self.time)
      writer.literal(#","updated":"#)
      writer.required(self.updated)
      writer.literal(#","name":"#)
      writer.required(self.name)
      writer.literal(#","longitude":"#)
      writer.required(self.longitude)
      writer.literal(#","latitude":"#)
      writer.required(self.latitude)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""latitude":"#)
      self.latitude = try reader.value()
      try reader.literal(#","longitude":"#)
      self.longitude = try reader.value()
      try reader.literal(#","magnitude":"#)
      self.magnitude = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      try reader.literal(#","quakeId":"#)
      self.quakeId = try reader.value()
      try reader.literal(#","time":"#)
      self.time = try reader.value()
      try reader.literal(#","updated":"#)
      self.updated = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""quakeId":"#)
      self.quakeId = try reader.value()
      try reader.literal(#","magnitude":"#)
      self.magnitude = try reader.value()
      try reader.literal(#","time":"#)
      self.time = try reader.value()
      try reader.literal(#","updated":"#)
      self.updated = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      try reader.literal(#","longitude":"#)
      self.longitude = try reader.value()
      try reader.literal(#","latitude":"#)
      self.latitude = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["quakeId", "magnitude", "time", "updated", "name", "longitude", "latitude"],
    samples: [
      #"{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}"#,
      #"{"quakeId":"Grüße","magnitude":0.5,"time":"2026-11-21T09:00:05.5Z","updated":"2026-11-21T09:00:05.5Z","name":"Grüße","longitude":0.5,"latitude":0.5}"#,
      #"{"quakeId":"a\"b","magnitude":-1,"time":-1000000000000,"updated":-1000000000000,"name":"a\"b","longitude":-1,"latitude":-1}"#,
    ],
    parts: { [] }
  )
}

// MARK: QuakesAction

extension QuakesAction: DirectCodable {
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
    self = try read3(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"ui":{"_0":{"quakeList":{"_0":{"onAppear":{}}}}}}"#,
      #"{"data":{"_0":{"persistentSession":{"_0":{"localStore":{"_0":{"didFetchQuakes":{"result":{"success":{"quakes":[]}}}}}}}}}}"#,
    ],
    parts: { parts3() }
  )
}

private func read3(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"ui":{"_0":"#) {
    let value0: QuakesAction.UI
    value0 = try reader.value()
    try reader.literal("}}")
    return .ui(value0)
  }
  if reader.accept(#"{"data":{"_0":"#) {
    let value0: QuakesAction.Data
    value0 = try reader.value()
    try reader.literal("}}")
    return .data(value0)
  }
  throw DirectMismatch()
}

extension QuakesAction: DirectAction {
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
    self = try action3(&type, &data)
  }
}

private func action3(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction {
  if type.accept("ui.") {
    return try .ui(.init(type: &type, data: &data))
  }
  if type.accept("data.") {
    return try .data(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts3() -> [any DirectCodable.Type] {
  [QuakesAction.Data.self, QuakesAction.UI.self]
}

// MARK: QuakesAction.Data

extension QuakesAction.Data: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .persistentSession(let value0):
      writer.literal(#"{"persistentSession":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read4(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"persistentSession":{"_0":{"localStore":{"_0":{"didFetchQuakes":{"result":{"success":{"quakes":[]}}}}}}}}"#,
    ],
    parts: { parts4() }
  )
}

private func read4(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.Data {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"persistentSession":{"_0":"#) {
    let value0: QuakesAction.Data.PersistentSession
    value0 = try reader.value()
    try reader.literal("}}")
    return .persistentSession(value0)
  }
  throw DirectMismatch()
}

extension QuakesAction.Data: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .persistentSession(let value0): writer.literal("persistentSession."); value0.writeType(directly: &writer)
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .persistentSession(let value0): value0.writeData(directly: &writer)
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action4(&type, &data)
  }
}

private func action4(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction.Data {
  if type.accept("persistentSession.") {
    return try .persistentSession(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts4() -> [any DirectCodable.Type] {
  [QuakesAction.Data.PersistentSession.self]
}

// MARK: QuakesAction.Data.PersistentSession

extension QuakesAction.Data.PersistentSession: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .localStore(let value0):
      writer.literal(#"{"localStore":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .remoteStore(let value0):
      writer.literal(#"{"remoteStore":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read5(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"localStore":{"_0":{"didFetchQuakes":{"result":{"success":{"quakes":[]}}}}}}"#,
      #"{"remoteStore":{"_0":{"didFetchQuakes":{"result":{"success":{"quakes":[]}}}}}}"#,
    ],
    parts: { parts5() }
  )
}

private func read5(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"localStore":{"_0":"#) {
    let value0: QuakesAction.Data.PersistentSession.LocalStore
    value0 = try reader.value()
    try reader.literal("}}")
    return .localStore(value0)
  }
  if reader.accept(#"{"remoteStore":{"_0":"#) {
    let value0: QuakesAction.Data.PersistentSession.RemoteStore
    value0 = try reader.value()
    try reader.literal("}}")
    return .remoteStore(value0)
  }
  throw DirectMismatch()
}

extension QuakesAction.Data.PersistentSession: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .localStore(let value0): writer.literal("localStore."); value0.writeType(directly: &writer)
    case .remoteStore(let value0): writer.literal("remoteStore."); value0.writeType(directly: &writer)
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .localStore(let value0): value0.writeData(directly: &writer)
    case .remoteStore(let value0): value0.writeData(directly: &writer)
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action5(&type, &data)
  }
}

private func action5(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession {
  if type.accept("localStore.") {
    return try .localStore(.init(type: &type, data: &data))
  }
  if type.accept("remoteStore.") {
    return try .remoteStore(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts5() -> [any DirectCodable.Type] {
  [QuakesAction.Data.PersistentSession.LocalStore.self, QuakesAction.Data.PersistentSession.RemoteStore.self]
}

// MARK: QuakesAction.Data.PersistentSession.LocalStore

extension QuakesAction.Data.PersistentSession.LocalStore: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didFetchQuakes(result: let value0):
      writer.literal(#"{"didFetchQuakes":{"result":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didFailToDeleteQuakes(quakes: let value0, reason: let value1):
      writer.literal(#"{"didFailToDeleteQuakes":{"quakes":"#)
      writer.required(value0)
      writer.literal(#","reason":"#)
      writer.required(value1)
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
      #"{"didFetchQuakes":{"result":{"success":{"quakes":[]}}}}"#,
      #"{"didFailToDeleteQuakes":{"quakes":[],"reason":{"code":"","message":""}}}"#,
      #"{"didFailToDeleteQuakes":{"quakes":[{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}],"reason":{"code":"","message":""}}}"#,
    ],
    parts: { parts6() }
  )
}

private func read6(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.LocalStore {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didFetchQuakes":{"result":"#) {
    let value0: QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult
    value0 = try reader.value()
    try reader.literal("}}")
    return .didFetchQuakes(result: value0)
  }
  if reader.accept(#"{"didFailToDeleteQuakes":{"quakes":"#) {
    let value0: Swift.Array<Quake>
    let value1: FailureReason
    value0 = try reader.value()
    try reader.literal(#","reason":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .didFailToDeleteQuakes(quakes: value0, reason: value1)
  }
  throw DirectMismatch()
}

extension QuakesAction.Data.PersistentSession.LocalStore: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didFetchQuakes: writer.literal("didFetchQuakes")
    case .didFailToDeleteQuakes: writer.literal("didFailToDeleteQuakes")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didFetchQuakes(result: let value0):
      writer.literal(#"{"result":"#)
      writer.required(value0)
      writer.literal("}")
    case .didFailToDeleteQuakes(quakes: let value0, reason: let value1):
      writer.literal(#"{"quakes":"#)
      writer.required(value0)
      writer.literal(#","reason":"#)
      writer.required(value1)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action6(&type, &data)
  }
}

private func action6(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.LocalStore {
  if type.acceptLast("didFetchQuakes") {
    let value0: QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult
    try data.literal(#"{"result":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didFetchQuakes(result: value0)
  }
  if type.acceptLast("didFailToDeleteQuakes") {
    let value0: Swift.Array<Quake>
    let value1: FailureReason
    try data.literal(#"{"quakes":"#)
    value0 = try data.value()
    try data.literal(#","reason":"#)
    value1 = try data.value()
    try data.literal("}")
    return .didFailToDeleteQuakes(quakes: value0, reason: value1)
  }
  throw DirectMismatch()
}

private func parts6() -> [any DirectCodable.Type] {
  [FailureReason.self, Quake.self, QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult.self]
}

// MARK: QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult

extension QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(quakes: let value0):
      writer.literal(#"{"success":{"quakes":"#)
      writer.required(value0)
      writer.literal("}}")
    case .failure(error: let value0):
      writer.literal(#"{"failure":{"error":"#)
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
      #"{"success":{"quakes":[]}}"#,
      #"{"success":{"quakes":[{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}]}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts7() }
  )
}

private func read7(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"quakes":"#) {
    let value0: Swift.Array<Quake>
    value0 = try reader.value()
    try reader.literal("}}")
    return .success(quakes: value0)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(quakes: let value0):
      writer.literal(#"{"quakes":"#)
      writer.required(value0)
      writer.literal("}")
    case .failure(error: let value0):
      writer.literal(#"{"error":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action7(&type, &data)
  }
}

private func action7(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.LocalStore.FetchQuakesResult {
  if type.acceptLast("success") {
    let value0: Swift.Array<Quake>
    try data.literal(#"{"quakes":"#)
    value0 = try data.value()
    try data.literal("}")
    return .success(quakes: value0)
  }
  if type.acceptLast("failure") {
    let value0: Swift.String
    try data.literal(#"{"error":"#)
    value0 = try data.value()
    try data.literal("}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

private func parts7() -> [any DirectCodable.Type] {
  [Quake.self]
}

// MARK: QuakesAction.Data.PersistentSession.RemoteStore

extension QuakesAction.Data.PersistentSession.RemoteStore: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didFetchQuakes(result: let value0):
      writer.literal(#"{"didFetchQuakes":{"result":"#)
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
      #"{"didFetchQuakes":{"result":{"success":{"quakes":[]}}}}"#,
    ],
    parts: { parts8() }
  )
}

private func read8(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.RemoteStore {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didFetchQuakes":{"result":"#) {
    let value0: QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult
    value0 = try reader.value()
    try reader.literal("}}")
    return .didFetchQuakes(result: value0)
  }
  throw DirectMismatch()
}

extension QuakesAction.Data.PersistentSession.RemoteStore: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didFetchQuakes: writer.literal("didFetchQuakes")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didFetchQuakes(result: let value0):
      writer.literal(#"{"result":"#)
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
) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.RemoteStore {
  if type.acceptLast("didFetchQuakes") {
    let value0: QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult
    try data.literal(#"{"result":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didFetchQuakes(result: value0)
  }
  throw DirectMismatch()
}

private func parts8() -> [any DirectCodable.Type] {
  [QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult.self]
}

// MARK: QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult

extension QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(quakes: let value0):
      writer.literal(#"{"success":{"quakes":"#)
      writer.required(value0)
      writer.literal("}}")
    case .failure(error: let value0):
      writer.literal(#"{"failure":{"error":"#)
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
      #"{"success":{"quakes":[]}}"#,
      #"{"success":{"quakes":[{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}]}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts9() }
  )
}

private func read9(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"quakes":"#) {
    let value0: Swift.Array<Quake>
    value0 = try reader.value()
    try reader.literal("}}")
    return .success(quakes: value0)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(quakes: let value0):
      writer.literal(#"{"quakes":"#)
      writer.required(value0)
      writer.literal("}")
    case .failure(error: let value0):
      writer.literal(#"{"error":"#)
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
) throws(DirectMismatch) -> QuakesAction.Data.PersistentSession.RemoteStore.FetchQuakesResult {
  if type.acceptLast("success") {
    let value0: Swift.Array<Quake>
    try data.literal(#"{"quakes":"#)
    value0 = try data.value()
    try data.literal("}")
    return .success(quakes: value0)
  }
  if type.acceptLast("failure") {
    let value0: Swift.String
    try data.literal(#"{"error":"#)
    value0 = try data.value()
    try data.literal("}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

private func parts9() -> [any DirectCodable.Type] {
  [Quake.self]
}

// MARK: QuakesAction.UI

extension QuakesAction.UI: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .quakeList(let value0):
      writer.literal(#"{"quakeList":{"_0":"#)
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
      #"{"quakeList":{"_0":{"onAppear":{}}}}"#,
    ],
    parts: { parts10() }
  )
}

private func read10(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.UI {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"quakeList":{"_0":"#) {
    let value0: QuakesAction.UI.QuakeList
    value0 = try reader.value()
    try reader.literal("}}")
    return .quakeList(value0)
  }
  throw DirectMismatch()
}

extension QuakesAction.UI: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .quakeList(let value0): writer.literal("quakeList."); value0.writeType(directly: &writer)
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .quakeList(let value0): value0.writeData(directly: &writer)
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action10(&type, &data)
  }
}

private func action10(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction.UI {
  if type.accept("quakeList.") {
    return try .quakeList(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts10() -> [any DirectCodable.Type] {
  [QuakesAction.UI.QuakeList.self]
}

// MARK: QuakesAction.UI.QuakeList

extension QuakesAction.UI.QuakeList: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onAppear:
      writer.literal(#"{"onAppear":{}}"#)
    case .onTapRefreshQuakesButton(range: let value0):
      writer.literal(#"{"onTapRefreshQuakesButton":{"range":"#)
      writer.required(value0)
      writer.literal("}}")
    case .onTapDeleteSelectedQuakeButton(quakeId: let value0):
      writer.literal(#"{"onTapDeleteSelectedQuakeButton":{"quakeId":"#)
      writer.required(value0)
      writer.literal("}}")
    case .onTapDeleteAllQuakesButton:
      writer.literal(#"{"onTapDeleteAllQuakesButton":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read11(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onAppear":{}}"#,
      #"{"onTapRefreshQuakesButton":{"range":{"allHour":{}}}}"#,
      #"{"onTapDeleteSelectedQuakeButton":{"quakeId":""}}"#,
      #"{"onTapDeleteSelectedQuakeButton":{"quakeId":"Grüße"}}"#,
      #"{"onTapDeleteSelectedQuakeButton":{"quakeId":"a\"b"}}"#,
      #"{"onTapDeleteAllQuakesButton":{}}"#,
    ],
    parts: { parts11() }
  )
}

private func read11(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.UI.QuakeList {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onAppear":{}}"#) {
    return .onAppear
  }
  if reader.accept(#"{"onTapRefreshQuakesButton":{"range":"#) {
    let value0: QuakesAction.UI.QuakeList.RefreshQuakesRange
    value0 = try reader.value()
    try reader.literal("}}")
    return .onTapRefreshQuakesButton(range: value0)
  }
  if reader.accept(#"{"onTapDeleteSelectedQuakeButton":{"quakeId":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .onTapDeleteSelectedQuakeButton(quakeId: value0)
  }
  if reader.accept(#"{"onTapDeleteAllQuakesButton":{}}"#) {
    return .onTapDeleteAllQuakesButton
  }
  throw DirectMismatch()
}

extension QuakesAction.UI.QuakeList: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onAppear: writer.literal("onAppear")
    case .onTapRefreshQuakesButton: writer.literal("onTapRefreshQuakesButton")
    case .onTapDeleteSelectedQuakeButton: writer.literal("onTapDeleteSelectedQuakeButton")
    case .onTapDeleteAllQuakesButton: writer.literal("onTapDeleteAllQuakesButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onAppear:
      writer.literal("{}")
    case .onTapRefreshQuakesButton(range: let value0):
      writer.literal(#"{"range":"#)
      writer.required(value0)
      writer.literal("}")
    case .onTapDeleteSelectedQuakeButton(quakeId: let value0):
      writer.literal(#"{"quakeId":"#)
      writer.required(value0)
      writer.literal("}")
    case .onTapDeleteAllQuakesButton:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action11(&type, &data)
  }
}

private func action11(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction.UI.QuakeList {
  if type.acceptLast("onAppear") {
    try data.literal("{}")
    return .onAppear
  }
  if type.acceptLast("onTapRefreshQuakesButton") {
    let value0: QuakesAction.UI.QuakeList.RefreshQuakesRange
    try data.literal(#"{"range":"#)
    value0 = try data.value()
    try data.literal("}")
    return .onTapRefreshQuakesButton(range: value0)
  }
  if type.acceptLast("onTapDeleteSelectedQuakeButton") {
    let value0: Swift.String
    try data.literal(#"{"quakeId":"#)
    value0 = try data.value()
    try data.literal("}")
    return .onTapDeleteSelectedQuakeButton(quakeId: value0)
  }
  if type.acceptLast("onTapDeleteAllQuakesButton") {
    try data.literal("{}")
    return .onTapDeleteAllQuakesButton
  }
  throw DirectMismatch()
}

private func parts11() -> [any DirectCodable.Type] {
  [QuakesAction.UI.QuakeList.RefreshQuakesRange.self]
}

// MARK: QuakesAction.UI.QuakeList.RefreshQuakesRange

extension QuakesAction.UI.QuakeList.RefreshQuakesRange: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .allHour:
      writer.literal(#"{"allHour":{}}"#)
    case .allDay:
      writer.literal(#"{"allDay":{}}"#)
    case .allWeek:
      writer.literal(#"{"allWeek":{}}"#)
    case .allMonth:
      writer.literal(#"{"allMonth":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read12(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"allHour":{}}"#,
      #"{"allDay":{}}"#,
      #"{"allWeek":{}}"#,
      #"{"allMonth":{}}"#,
    ],
    parts: { [] }
  )
}

private func read12(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesAction.UI.QuakeList.RefreshQuakesRange {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"allHour":{}}"#) {
    return .allHour
  }
  if reader.accept(#"{"allDay":{}}"#) {
    return .allDay
  }
  if reader.accept(#"{"allWeek":{}}"#) {
    return .allWeek
  }
  if reader.accept(#"{"allMonth":{}}"#) {
    return .allMonth
  }
  throw DirectMismatch()
}

extension QuakesAction.UI.QuakeList.RefreshQuakesRange: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .allHour: writer.literal("allHour")
    case .allDay: writer.literal("allDay")
    case .allWeek: writer.literal("allWeek")
    case .allMonth: writer.literal("allMonth")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .allHour:
      writer.literal("{}")
    case .allDay:
      writer.literal("{}")
    case .allWeek:
      writer.literal("{}")
    case .allMonth:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action12(&type, &data)
  }
}

private func action12(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesAction.UI.QuakeList.RefreshQuakesRange {
  if type.acceptLast("allHour") {
    try data.literal("{}")
    return .allHour
  }
  if type.acceptLast("allDay") {
    try data.literal("{}")
    return .allDay
  }
  if type.acceptLast("allWeek") {
    try data.literal("{}")
    return .allWeek
  }
  if type.acceptLast("allMonth") {
    try data.literal("{}")
    return .allMonth
  }
  throw DirectMismatch()
}

// MARK: QuakesState

extension QuakesState: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"quakes":"#)
    writer.required(self.quakes)
    writer.literal("}")
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"quakes":"#)
    self.quakes = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["quakes"],
    samples: [
      #"{"quakes":{"data":{}}}"#,
    ],
    parts: { parts13() }
  )
}

private func parts13() -> [any DirectCodable.Type] {
  [QuakesState.Quakes.self]
}

// MARK: QuakesState.Quakes

extension QuakesState.Quakes: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"data":"#)
    writer.required(self.data)
    if let value = self.status {
      writer.literal(#","status":"#)
      writer.required(value)
    }
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"data":"#)
    self.data = try reader.value()
    self.status = try reader.accept(#","status":"#) ? .some(reader.value()) : nil
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["data", "status"],
    samples: [
      #"{"data":{}}"#,
      #"{"data":{"Grüße":{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}},"status":{"empty":{}}}"#,
      #"{"data":{"a\"b":{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}},"status":{"empty":{}}}"#,
    ],
    parts: { parts14() }
  )
}

private func parts14() -> [any DirectCodable.Type] {
  [Quake.self, Status.self]
}

// MARK: QuakesStoreAction

extension QuakesStoreAction: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didSaveQuakes(saved: let value0, deleted: let value1):
      if writer.isCanonical {
        writer.literal(#"{"didSaveQuakes":{"deleted":"#)
        writer.required(value1)
        writer.literal(#","saved":"#)
        writer.required(value0)
        writer.literal("}}")
      } else {
        writer.literal(#"{"didSaveQuakes":{"saved":"#)
        writer.required(value0)
        writer.literal(#","deleted":"#)
        writer.required(value1)
        writer.literal("}}")
      }
    case .didDeleteQuake(quakeId: let value0):
      writer.literal(#"{"didDeleteQuake":{"quakeId":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didDeleteAllQuakes:
      writer.literal(#"{"didDeleteAllQuakes":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read15(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"didSaveQuakes":{"saved":[],"deleted":[]}}"#,
      #"{"didSaveQuakes":{"saved":[{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}],"deleted":[""]}}"#,
      #"{"didDeleteQuake":{"quakeId":""}}"#,
      #"{"didDeleteQuake":{"quakeId":"Grüße"}}"#,
      #"{"didDeleteQuake":{"quakeId":"a\"b"}}"#,
      #"{"didDeleteAllQuakes":{}}"#,
    ],
    parts: { parts15() }
  )
}

private func read15(_ reader: inout DirectReader) throws(DirectMismatch) -> QuakesStoreAction {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didSaveQuakes":{"#) {
    let value0: Swift.Array<Quake>
    let value1: Swift.Array<Swift.String>
    if reader.isCanonical {
      try reader.literal(#""deleted":"#)
      value1 = try reader.value()
      try reader.literal(#","saved":"#)
      value0 = try reader.value()
      try reader.literal("}}")
    } else {
      try reader.literal(#""saved":"#)
      value0 = try reader.value()
      try reader.literal(#","deleted":"#)
      value1 = try reader.value()
      try reader.literal("}}")
    }
    return .didSaveQuakes(saved: value0, deleted: value1)
  }
  if reader.accept(#"{"didDeleteQuake":{"quakeId":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .didDeleteQuake(quakeId: value0)
  }
  if reader.accept(#"{"didDeleteAllQuakes":{}}"#) {
    return .didDeleteAllQuakes
  }
  throw DirectMismatch()
}

extension QuakesStoreAction: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didSaveQuakes: writer.literal("didSaveQuakes")
    case .didDeleteQuake: writer.literal("didDeleteQuake")
    case .didDeleteAllQuakes: writer.literal("didDeleteAllQuakes")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didSaveQuakes(saved: let value0, deleted: let value1):
      if writer.isCanonical {
        writer.literal(#"{"deleted":"#)
        writer.required(value1)
        writer.literal(#","saved":"#)
        writer.required(value0)
        writer.literal("}")
      } else {
        writer.literal(#"{"saved":"#)
        writer.required(value0)
        writer.literal(#","deleted":"#)
        writer.required(value1)
        writer.literal("}")
      }
    case .didDeleteQuake(quakeId: let value0):
      writer.literal(#"{"quakeId":"#)
      writer.required(value0)
      writer.literal("}")
    case .didDeleteAllQuakes:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action15(&type, &data)
  }
}

private func action15(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> QuakesStoreAction {
  if type.acceptLast("didSaveQuakes") {
    let value0: Swift.Array<Quake>
    let value1: Swift.Array<Swift.String>
    try data.literal("{")
    if data.isCanonical {
      try data.literal(#""deleted":"#)
      value1 = try data.value()
      try data.literal(#","saved":"#)
      value0 = try data.value()
      try data.literal("}")
    } else {
      try data.literal(#""saved":"#)
      value0 = try data.value()
      try data.literal(#","deleted":"#)
      value1 = try data.value()
      try data.literal("}")
    }
    return .didSaveQuakes(saved: value0, deleted: value1)
  }
  if type.acceptLast("didDeleteQuake") {
    let value0: Swift.String
    try data.literal(#"{"quakeId":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didDeleteQuake(quakeId: value0)
  }
  if type.acceptLast("didDeleteAllQuakes") {
    try data.literal("{}")
    return .didDeleteAllQuakes
  }
  throw DirectMismatch()
}

private func parts15() -> [any DirectCodable.Type] {
  [Quake.self]
}

// MARK: QuakesStoreState

extension QuakesStoreState: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"quakes":"#)
    writer.required(self.quakes)
    writer.literal("}")
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"quakes":"#)
    self.quakes = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["quakes"],
    samples: [
      #"{"quakes":{}}"#,
      #"{"quakes":{"Grüße":{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}}}"#,
      #"{"quakes":{"a\"b":{"quakeId":"","magnitude":0,"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z","name":"","longitude":0,"latitude":0}}}"#,
    ],
    parts: { parts16() }
  )
}

private func parts16() -> [any DirectCodable.Type] {
  [Quake.self]
}

// MARK: RemoteResponse.Feature.Properties

extension RemoteResponse.Feature.Properties: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal("{")
    if let value = self.mag {
      writer.literal(#""mag":"#)
      writer.required(value)
    }
    if let value = self.place {
      writer.separator()
      writer.literal(#""place":"#)
      writer.required(value)
    }
    writer.separator()
    writer.literal(#""time":"#)
    writer.required(self.time)
    writer.literal(#","updated":"#)
    writer.required(self.updated)
    writer.literal("}")
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    var isFirst = true
    self.mag = try reader.acceptMember(#""mag":"#, first: &isFirst) ? .some(reader.value()) : nil
    self.place = try reader.acceptMember(#""place":"#, first: &isFirst) ? .some(reader.value()) : nil
    try reader.member(#""time":"#, first: &isFirst)
    self.time = try reader.value()
    try reader.literal(#","updated":"#)
    self.updated = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["mag", "place", "time", "updated"],
    samples: [
      #"{"time":"2001-01-01T00:00:00Z","updated":"2001-01-01T00:00:00Z"}"#,
      #"{"mag":0.5,"place":"Grüße","time":"2026-11-21T09:00:05.5Z","updated":"2026-11-21T09:00:05.5Z"}"#,
      #"{"mag":-1,"place":"a\"b","time":-1000000000000,"updated":-1000000000000}"#,
    ],
    parts: { [] }
  )
}

// MARK: Status

extension Status: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .empty:
      writer.literal(#"{"empty":{}}"#)
    case .waiting:
      writer.literal(#"{"waiting":{}}"#)
    case .success:
      writer.literal(#"{"success":{}}"#)
    case .failure(error: let value0):
      writer.literal(#"{"failure":{"error":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read18(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"empty":{}}"#,
      #"{"waiting":{}}"#,
      #"{"success":{}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { [] }
  )
}

private func read18(_ reader: inout DirectReader) throws(DirectMismatch) -> Status {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"empty":{}}"#) {
    return .empty
  }
  if reader.accept(#"{"waiting":{}}"#) {
    return .waiting
  }
  if reader.accept(#"{"success":{}}"#) {
    return .success
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension Status: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .empty: writer.literal("empty")
    case .waiting: writer.literal("waiting")
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .empty:
      writer.literal("{}")
    case .waiting:
      writer.literal("{}")
    case .success:
      writer.literal("{}")
    case .failure(error: let value0):
      writer.literal(#"{"error":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action18(&type, &data)
  }
}

private func action18(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> Status {
  if type.acceptLast("empty") {
    try data.literal("{}")
    return .empty
  }
  if type.acceptLast("waiting") {
    try data.literal("{}")
    return .waiting
  }
  if type.acceptLast("success") {
    try data.literal("{}")
    return .success
  }
  if type.acceptLast("failure") {
    let value0: Swift.String
    try data.literal(#"{"error":"#)
    value0 = try data.value()
    try data.literal("}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}
