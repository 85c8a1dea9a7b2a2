// Made by 'swift package generate-direct-coding', which is to be run again when a type changes. Not to be edited.
//
// swift-format-ignore-file

public import JSONCoding

// MARK: Animal

extension Animal: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"animalId":"#)
      writer.required(self.animalId)
      writer.literal(#","categoryId":"#)
      writer.required(self.categoryId)
      writer.literal(#","diet":"#)
      writer.required(self.diet)
      writer.literal(#","name":"#)
      writer.required(self.name)
      writer.literal("}")
    } else {
      writer.literal(#"{"animalId":"#)
      writer.required(self.animalId)
      writer.literal(#","name":"#)
      writer.required(self.name)
      writer.literal(#","diet":"#)
      writer.required(self.diet)
      writer.literal(#","categoryId":"#)
      writer.required(self.categoryId)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""animalId":"#)
      self.animalId = try reader.value()
      try reader.literal(#","categoryId":"#)
      self.categoryId = try reader.value()
      try reader.literal(#","diet":"#)
      self.diet = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""animalId":"#)
      self.animalId = try reader.value()
      try reader.literal(#","name":"#)
      self.name = try reader.value()
      try reader.literal(#","diet":"#)
      self.diet = try reader.value()
      try reader.literal(#","categoryId":"#)
      self.categoryId = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["animalId", "name", "diet", "categoryId"],
    samples: [
      #"{"animalId":"","name":"","diet":"Herbivore","categoryId":""}"#,
      #"{"animalId":"Grüße","name":"Grüße","diet":"Herbivore","categoryId":"Grüße"}"#,
      #"{"animalId":"a\"b","name":"a\"b","diet":"Herbivore","categoryId":"a\"b"}"#,
    ],
    parts: { parts1() }
  )
}

private func parts1() -> [any DirectCodable.Type] {
  [Animal.Diet.self]
}

// MARK: Animal.Diet

extension Animal.Diet: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    switch self {
    case .herbivorous: writer.literal(#""Herbivore""#)
    case .carnivorous: writer.literal(#""Carnivore""#)
    case .omnivorous: writer.literal(#""Omnivore""#)
    }
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    if reader.accept(#""Herbivore""#) {
      self = .herbivorous
    } else if reader.accept(#""Carnivore""#) {
      self = .carnivorous
    } else if reader.accept(#""Omnivore""#) {
      self = .omnivorous
    } else {
      throw DirectMismatch()
    }
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #""Herbivore""#,
      #""Carnivore""#,
      #""Omnivore""#,
    ],
    parts: { [] }
  )
}

// MARK: AnimalsAction

extension AnimalsAction: DirectCodable {
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
      #"{"ui":{"_0":{"categoryList":{"_0":{"onAppear":{}}}}}}"#,
      #"{"data":{"_0":{"persistentSession":{"_0":{"didFetchCategories":{"result":{"success":{"categories":[]}}}}}}}}"#,
    ],
    parts: { parts3() }
  )
}

private func read3(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"ui":{"_0":"#) {
    let value0: AnimalsAction.UI
    value0 = try reader.value()
    try reader.literal("}}")
    return .ui(value0)
  }
  if reader.accept(#"{"data":{"_0":"#) {
    let value0: AnimalsAction.Data
    value0 = try reader.value()
    try reader.literal("}}")
    return .data(value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction: DirectAction {
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
) throws(DirectMismatch) -> AnimalsAction {
  if type.accept("ui.") {
    return try .ui(.init(type: &type, data: &data))
  }
  if type.accept("data.") {
    return try .data(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts3() -> [any DirectCodable.Type] {
  [AnimalsAction.Data.self, AnimalsAction.UI.self]
}

// MARK: AnimalsAction.Data

extension AnimalsAction.Data: DirectCodable {
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
      #"{"persistentSession":{"_0":{"didFetchCategories":{"result":{"success":{"categories":[]}}}}}}"#,
    ],
    parts: { parts4() }
  )
}

private func read4(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"persistentSession":{"_0":"#) {
    let value0: AnimalsAction.Data.PersistentSession
    value0 = try reader.value()
    try reader.literal("}}")
    return .persistentSession(value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data: DirectAction {
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
) throws(DirectMismatch) -> AnimalsAction.Data {
  if type.accept("persistentSession.") {
    return try .persistentSession(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts4() -> [any DirectCodable.Type] {
  [AnimalsAction.Data.PersistentSession.self]
}

// MARK: AnimalsAction.Data.PersistentSession

extension AnimalsAction.Data.PersistentSession: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didFetchCategories(result: let value0):
      writer.literal(#"{"didFetchCategories":{"result":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didFetchAnimals(result: let value0):
      writer.literal(#"{"didFetchAnimals":{"result":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didReloadSampleData(result: let value0):
      writer.literal(#"{"didReloadSampleData":{"result":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didAddAnimal(id: let value0, result: let value1):
      writer.literal(#"{"didAddAnimal":{"id":"#)
      writer.required(value0)
      writer.literal(#","result":"#)
      writer.required(value1)
      writer.literal("}}")
    case .didUpdateAnimal(animalId: let value0, result: let value1):
      writer.literal(#"{"didUpdateAnimal":{"animalId":"#)
      writer.required(value0)
      writer.literal(#","result":"#)
      writer.required(value1)
      writer.literal("}}")
    case .didDeleteAnimal(animalId: let value0, result: let value1):
      writer.literal(#"{"didDeleteAnimal":{"animalId":"#)
      writer.required(value0)
      writer.literal(#","result":"#)
      writer.required(value1)
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
      #"{"didFetchCategories":{"result":{"success":{"categories":[]}}}}"#,
      #"{"didFetchAnimals":{"result":{"success":{"animals":[]}}}}"#,
      #"{"didReloadSampleData":{"result":{"success":{"animals":[],"categories":[]}}}}"#,
      #"{"didAddAnimal":{"id":"","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didAddAnimal":{"id":"Grüße","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didAddAnimal":{"id":"a\"b","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didUpdateAnimal":{"animalId":"","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didUpdateAnimal":{"animalId":"Grüße","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didUpdateAnimal":{"animalId":"a\"b","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didDeleteAnimal":{"animalId":"","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didDeleteAnimal":{"animalId":"Grüße","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
      #"{"didDeleteAnimal":{"animalId":"a\"b","result":{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}}}"#,
    ],
    parts: { parts5() }
  )
}

private func read5(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didFetchCategories":{"result":"#) {
    let value0: AnimalsAction.Data.PersistentSession.FetchCategoriesResult
    value0 = try reader.value()
    try reader.literal("}}")
    return .didFetchCategories(result: value0)
  }
  if reader.accept(#"{"didFetchAnimals":{"result":"#) {
    let value0: AnimalsAction.Data.PersistentSession.FetchAnimalsResult
    value0 = try reader.value()
    try reader.literal("}}")
    return .didFetchAnimals(result: value0)
  }
  if reader.accept(#"{"didReloadSampleData":{"result":"#) {
    let value0: AnimalsAction.Data.PersistentSession.ReloadSampleDataResult
    value0 = try reader.value()
    try reader.literal("}}")
    return .didReloadSampleData(result: value0)
  }
  if reader.accept(#"{"didAddAnimal":{"id":"#) {
    let value0: Swift.String
    let value1: AnimalsAction.Data.PersistentSession.AddAnimalResult
    value0 = try reader.value()
    try reader.literal(#","result":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .didAddAnimal(id: value0, result: value1)
  }
  if reader.accept(#"{"didUpdateAnimal":{"animalId":"#) {
    let value0: Swift.String
    let value1: AnimalsAction.Data.PersistentSession.UpdateAnimalResult
    value0 = try reader.value()
    try reader.literal(#","result":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .didUpdateAnimal(animalId: value0, result: value1)
  }
  if reader.accept(#"{"didDeleteAnimal":{"animalId":"#) {
    let value0: Swift.String
    let value1: AnimalsAction.Data.PersistentSession.DeleteAnimalResult
    value0 = try reader.value()
    try reader.literal(#","result":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .didDeleteAnimal(animalId: value0, result: value1)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data.PersistentSession: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didFetchCategories: writer.literal("didFetchCategories")
    case .didFetchAnimals: writer.literal("didFetchAnimals")
    case .didReloadSampleData: writer.literal("didReloadSampleData")
    case .didAddAnimal: writer.literal("didAddAnimal")
    case .didUpdateAnimal: writer.literal("didUpdateAnimal")
    case .didDeleteAnimal: writer.literal("didDeleteAnimal")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didFetchCategories(result: let value0):
      writer.literal(#"{"result":"#)
      writer.required(value0)
      writer.literal("}")
    case .didFetchAnimals(result: let value0):
      writer.literal(#"{"result":"#)
      writer.required(value0)
      writer.literal("}")
    case .didReloadSampleData(result: let value0):
      writer.literal(#"{"result":"#)
      writer.required(value0)
      writer.literal("}")
    case .didAddAnimal(id: let value0, result: let value1):
      writer.literal(#"{"id":"#)
      writer.required(value0)
      writer.literal(#","result":"#)
      writer.required(value1)
      writer.literal("}")
    case .didUpdateAnimal(animalId: let value0, result: let value1):
      writer.literal(#"{"animalId":"#)
      writer.required(value0)
      writer.literal(#","result":"#)
      writer.required(value1)
      writer.literal("}")
    case .didDeleteAnimal(animalId: let value0, result: let value1):
      writer.literal(#"{"animalId":"#)
      writer.required(value0)
      writer.literal(#","result":"#)
      writer.required(value1)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action5(&type, &data)
  }
}

private func action5(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession {
  if type.acceptLast("didFetchCategories") {
    let value0: AnimalsAction.Data.PersistentSession.FetchCategoriesResult
    try data.literal(#"{"result":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didFetchCategories(result: value0)
  }
  if type.acceptLast("didFetchAnimals") {
    let value0: AnimalsAction.Data.PersistentSession.FetchAnimalsResult
    try data.literal(#"{"result":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didFetchAnimals(result: value0)
  }
  if type.acceptLast("didReloadSampleData") {
    let value0: AnimalsAction.Data.PersistentSession.ReloadSampleDataResult
    try data.literal(#"{"result":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didReloadSampleData(result: value0)
  }
  if type.acceptLast("didAddAnimal") {
    let value0: Swift.String
    let value1: AnimalsAction.Data.PersistentSession.AddAnimalResult
    try data.literal(#"{"id":"#)
    value0 = try data.value()
    try data.literal(#","result":"#)
    value1 = try data.value()
    try data.literal("}")
    return .didAddAnimal(id: value0, result: value1)
  }
  if type.acceptLast("didUpdateAnimal") {
    let value0: Swift.String
    let value1: AnimalsAction.Data.PersistentSession.UpdateAnimalResult
    try data.literal(#"{"animalId":"#)
    value0 = try data.value()
    try data.literal(#","result":"#)
    value1 = try data.value()
    try data.literal("}")
    return .didUpdateAnimal(animalId: value0, result: value1)
  }
  if type.acceptLast("didDeleteAnimal") {
    let value0: Swift.String
    let value1: AnimalsAction.Data.PersistentSession.DeleteAnimalResult
    try data.literal(#"{"animalId":"#)
    value0 = try data.value()
    try data.literal(#","result":"#)
    value1 = try data.value()
    try data.literal("}")
    return .didDeleteAnimal(animalId: value0, result: value1)
  }
  throw DirectMismatch()
}

private func parts5() -> [any DirectCodable.Type] {
  [AnimalsAction.Data.PersistentSession.AddAnimalResult.self, AnimalsAction.Data.PersistentSession.DeleteAnimalResult.self, AnimalsAction.Data.PersistentSession.FetchAnimalsResult.self, AnimalsAction.Data.PersistentSession.FetchCategoriesResult.self, AnimalsAction.Data.PersistentSession.ReloadSampleDataResult.self, AnimalsAction.Data.PersistentSession.UpdateAnimalResult.self]
}

// MARK: AnimalsAction.Data.PersistentSession.AddAnimalResult

extension AnimalsAction.Data.PersistentSession.AddAnimalResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(animal: let value0):
      writer.literal(#"{"success":{"animal":"#)
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
    self = try read6(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts6() }
  )
}

private func read6(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.AddAnimalResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .success(animal: value0)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data.PersistentSession.AddAnimalResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(animal: let value0):
      writer.literal(#"{"animal":"#)
      writer.required(value0)
      writer.literal("}")
    case .failure(error: let value0):
      writer.literal(#"{"error":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action6(&type, &data)
  }
}

private func action6(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.AddAnimalResult {
  if type.acceptLast("success") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .success(animal: value0)
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

private func parts6() -> [any DirectCodable.Type] {
  [Animal.self]
}

// MARK: AnimalsAction.Data.PersistentSession.DeleteAnimalResult

extension AnimalsAction.Data.PersistentSession.DeleteAnimalResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(animal: let value0):
      writer.literal(#"{"success":{"animal":"#)
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
      #"{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts7() }
  )
}

private func read7(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.DeleteAnimalResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .success(animal: value0)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data.PersistentSession.DeleteAnimalResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(animal: let value0):
      writer.literal(#"{"animal":"#)
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
) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.DeleteAnimalResult {
  if type.acceptLast("success") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .success(animal: value0)
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
  [Animal.self]
}

// MARK: AnimalsAction.Data.PersistentSession.FetchAnimalsResult

extension AnimalsAction.Data.PersistentSession.FetchAnimalsResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(animals: let value0):
      writer.literal(#"{"success":{"animals":"#)
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
    self = try read8(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"success":{"animals":[]}}"#,
      #"{"success":{"animals":[{"animalId":"","name":"","diet":"Herbivore","categoryId":""}]}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts8() }
  )
}

private func read8(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.FetchAnimalsResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"animals":"#) {
    let value0: Swift.Array<Animal>
    value0 = try reader.value()
    try reader.literal("}}")
    return .success(animals: value0)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data.PersistentSession.FetchAnimalsResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(animals: let value0):
      writer.literal(#"{"animals":"#)
      writer.required(value0)
      writer.literal("}")
    case .failure(error: let value0):
      writer.literal(#"{"error":"#)
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
) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.FetchAnimalsResult {
  if type.acceptLast("success") {
    let value0: Swift.Array<Animal>
    try data.literal(#"{"animals":"#)
    value0 = try data.value()
    try data.literal("}")
    return .success(animals: value0)
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

private func parts8() -> [any DirectCodable.Type] {
  [Animal.self]
}

// MARK: AnimalsAction.Data.PersistentSession.FetchCategoriesResult

extension AnimalsAction.Data.PersistentSession.FetchCategoriesResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(categories: let value0):
      writer.literal(#"{"success":{"categories":"#)
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
      #"{"success":{"categories":[]}}"#,
      #"{"success":{"categories":[{"categoryId":"","name":""}]}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts9() }
  )
}

private func read9(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.FetchCategoriesResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"categories":"#) {
    let value0: Swift.Array<Category>
    value0 = try reader.value()
    try reader.literal("}}")
    return .success(categories: value0)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data.PersistentSession.FetchCategoriesResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(categories: let value0):
      writer.literal(#"{"categories":"#)
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
) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.FetchCategoriesResult {
  if type.acceptLast("success") {
    let value0: Swift.Array<Category>
    try data.literal(#"{"categories":"#)
    value0 = try data.value()
    try data.literal("}")
    return .success(categories: value0)
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
  [Category.self]
}

// MARK: AnimalsAction.Data.PersistentSession.ReloadSampleDataResult

extension AnimalsAction.Data.PersistentSession.ReloadSampleDataResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(animals: let value0, categories: let value1):
      writer.literal(#"{"success":{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}}")
    case .failure(error: let value0):
      writer.literal(#"{"failure":{"error":"#)
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
      #"{"success":{"animals":[],"categories":[]}}"#,
      #"{"success":{"animals":[{"animalId":"","name":"","diet":"Herbivore","categoryId":""}],"categories":[{"categoryId":"","name":""}]}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts10() }
  )
}

private func read10(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.ReloadSampleDataResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"animals":"#) {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    value0 = try reader.value()
    try reader.literal(#","categories":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .success(animals: value0, categories: value1)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data.PersistentSession.ReloadSampleDataResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(animals: let value0, categories: let value1):
      writer.literal(#"{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}")
    case .failure(error: let value0):
      writer.literal(#"{"error":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action10(&type, &data)
  }
}

private func action10(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.ReloadSampleDataResult {
  if type.acceptLast("success") {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    try data.literal(#"{"animals":"#)
    value0 = try data.value()
    try data.literal(#","categories":"#)
    value1 = try data.value()
    try data.literal("}")
    return .success(animals: value0, categories: value1)
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

private func parts10() -> [any DirectCodable.Type] {
  [Animal.self, Category.self]
}

// MARK: AnimalsAction.Data.PersistentSession.UpdateAnimalResult

extension AnimalsAction.Data.PersistentSession.UpdateAnimalResult: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .success(animal: let value0):
      writer.literal(#"{"success":{"animal":"#)
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
    self = try read11(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"success":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"failure":{"error":""}}"#,
      #"{"failure":{"error":"Grüße"}}"#,
      #"{"failure":{"error":"a\"b"}}"#,
    ],
    parts: { parts11() }
  )
}

private func read11(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.UpdateAnimalResult {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"success":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .success(animal: value0)
  }
  if reader.accept(#"{"failure":{"error":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .failure(error: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.Data.PersistentSession.UpdateAnimalResult: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .success: writer.literal("success")
    case .failure: writer.literal("failure")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .success(animal: let value0):
      writer.literal(#"{"animal":"#)
      writer.required(value0)
      writer.literal("}")
    case .failure(error: let value0):
      writer.literal(#"{"error":"#)
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
) throws(DirectMismatch) -> AnimalsAction.Data.PersistentSession.UpdateAnimalResult {
  if type.acceptLast("success") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .success(animal: value0)
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

private func parts11() -> [any DirectCodable.Type] {
  [Animal.self]
}

// MARK: AnimalsAction.UI

extension AnimalsAction.UI: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .categoryList(let value0):
      writer.literal(#"{"categoryList":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .animalList(let value0):
      writer.literal(#"{"animalList":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .animalDetail(let value0):
      writer.literal(#"{"animalDetail":{"_0":"#)
      writer.required(value0)
      writer.literal("}}")
    case .animalEditor(let value0):
      writer.literal(#"{"animalEditor":{"_0":"#)
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
      #"{"categoryList":{"_0":{"onAppear":{}}}}"#,
      #"{"animalList":{"_0":{"onAppear":{}}}}"#,
      #"{"animalDetail":{"_0":{"onTapDeleteSelectedAnimalButton":{"animalId":""}}}}"#,
      #"{"animalEditor":{"_0":{"onTapAddAnimalButton":{"id":"","name":"","diet":"Herbivore","categoryId":""}}}}"#,
    ],
    parts: { parts12() }
  )
}

private func read12(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.UI {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"categoryList":{"_0":"#) {
    let value0: AnimalsAction.UI.CategoryList
    value0 = try reader.value()
    try reader.literal("}}")
    return .categoryList(value0)
  }
  if reader.accept(#"{"animalList":{"_0":"#) {
    let value0: AnimalsAction.UI.AnimalList
    value0 = try reader.value()
    try reader.literal("}}")
    return .animalList(value0)
  }
  if reader.accept(#"{"animalDetail":{"_0":"#) {
    let value0: AnimalsAction.UI.AnimalDetail
    value0 = try reader.value()
    try reader.literal("}}")
    return .animalDetail(value0)
  }
  if reader.accept(#"{"animalEditor":{"_0":"#) {
    let value0: AnimalsAction.UI.AnimalEditor
    value0 = try reader.value()
    try reader.literal("}}")
    return .animalEditor(value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.UI: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .categoryList(let value0): writer.literal("categoryList."); value0.writeType(directly: &writer)
    case .animalList(let value0): writer.literal("animalList."); value0.writeType(directly: &writer)
    case .animalDetail(let value0): writer.literal("animalDetail."); value0.writeType(directly: &writer)
    case .animalEditor(let value0): writer.literal("animalEditor."); value0.writeType(directly: &writer)
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .categoryList(let value0): value0.writeData(directly: &writer)
    case .animalList(let value0): value0.writeData(directly: &writer)
    case .animalDetail(let value0): value0.writeData(directly: &writer)
    case .animalEditor(let value0): value0.writeData(directly: &writer)
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action12(&type, &data)
  }
}

private func action12(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.UI {
  if type.accept("categoryList.") {
    return try .categoryList(.init(type: &type, data: &data))
  }
  if type.accept("animalList.") {
    return try .animalList(.init(type: &type, data: &data))
  }
  if type.accept("animalDetail.") {
    return try .animalDetail(.init(type: &type, data: &data))
  }
  if type.accept("animalEditor.") {
    return try .animalEditor(.init(type: &type, data: &data))
  }
  throw DirectMismatch()
}

private func parts12() -> [any DirectCodable.Type] {
  [AnimalsAction.UI.AnimalDetail.self, AnimalsAction.UI.AnimalEditor.self, AnimalsAction.UI.AnimalList.self, AnimalsAction.UI.CategoryList.self]
}

// MARK: AnimalsAction.UI.AnimalDetail

extension AnimalsAction.UI.AnimalDetail: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onTapDeleteSelectedAnimalButton(animalId: let value0):
      writer.literal(#"{"onTapDeleteSelectedAnimalButton":{"animalId":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read13(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onTapDeleteSelectedAnimalButton":{"animalId":""}}"#,
      #"{"onTapDeleteSelectedAnimalButton":{"animalId":"Grüße"}}"#,
      #"{"onTapDeleteSelectedAnimalButton":{"animalId":"a\"b"}}"#,
    ],
    parts: { [] }
  )
}

private func read13(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.UI.AnimalDetail {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onTapDeleteSelectedAnimalButton":{"animalId":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .onTapDeleteSelectedAnimalButton(animalId: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.UI.AnimalDetail: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onTapDeleteSelectedAnimalButton: writer.literal("onTapDeleteSelectedAnimalButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onTapDeleteSelectedAnimalButton(animalId: let value0):
      writer.literal(#"{"animalId":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action13(&type, &data)
  }
}

private func action13(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.UI.AnimalDetail {
  if type.acceptLast("onTapDeleteSelectedAnimalButton") {
    let value0: Swift.String
    try data.literal(#"{"animalId":"#)
    value0 = try data.value()
    try data.literal("}")
    return .onTapDeleteSelectedAnimalButton(animalId: value0)
  }
  throw DirectMismatch()
}

// MARK: AnimalsAction.UI.AnimalEditor

extension AnimalsAction.UI.AnimalEditor: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onTapAddAnimalButton(id: let value0, name: let value1, diet: let value2, categoryId: let value3):
      if writer.isCanonical {
        writer.literal(#"{"onTapAddAnimalButton":{"categoryId":"#)
        writer.required(value3)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","id":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal("}}")
      } else {
        writer.literal(#"{"onTapAddAnimalButton":{"id":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal("}}")
      }
    case .onTapUpdateAnimalButton(animalId: let value0, name: let value1, diet: let value2, categoryId: let value3):
      if writer.isCanonical {
        writer.literal(#"{"onTapUpdateAnimalButton":{"animalId":"#)
        writer.required(value0)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal("}}")
      } else {
        writer.literal(#"{"onTapUpdateAnimalButton":{"animalId":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal("}}")
      }
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read14(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onTapAddAnimalButton":{"id":"","name":"","diet":"Herbivore","categoryId":""}}"#,
      #"{"onTapAddAnimalButton":{"id":"Grüße","name":"Grüße","diet":"Herbivore","categoryId":"Grüße"}}"#,
      #"{"onTapAddAnimalButton":{"id":"a\"b","name":"a\"b","diet":"Herbivore","categoryId":"a\"b"}}"#,
      #"{"onTapUpdateAnimalButton":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}"#,
      #"{"onTapUpdateAnimalButton":{"animalId":"Grüße","name":"Grüße","diet":"Herbivore","categoryId":"Grüße"}}"#,
      #"{"onTapUpdateAnimalButton":{"animalId":"a\"b","name":"a\"b","diet":"Herbivore","categoryId":"a\"b"}}"#,
    ],
    parts: { parts14() }
  )
}

private func read14(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.UI.AnimalEditor {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onTapAddAnimalButton":{"#) {
    let value0: Swift.String
    let value1: Swift.String
    let value2: Animal.Diet
    let value3: Swift.String
    if reader.isCanonical {
      try reader.literal(#""categoryId":"#)
      value3 = try reader.value()
      try reader.literal(#","diet":"#)
      value2 = try reader.value()
      try reader.literal(#","id":"#)
      value0 = try reader.value()
      try reader.literal(#","name":"#)
      value1 = try reader.value()
      try reader.literal("}}")
    } else {
      try reader.literal(#""id":"#)
      value0 = try reader.value()
      try reader.literal(#","name":"#)
      value1 = try reader.value()
      try reader.literal(#","diet":"#)
      value2 = try reader.value()
      try reader.literal(#","categoryId":"#)
      value3 = try reader.value()
      try reader.literal("}}")
    }
    return .onTapAddAnimalButton(id: value0, name: value1, diet: value2, categoryId: value3)
  }
  if reader.accept(#"{"onTapUpdateAnimalButton":{"#) {
    let value0: Swift.String
    let value1: Swift.String
    let value2: Animal.Diet
    let value3: Swift.String
    if reader.isCanonical {
      try reader.literal(#""animalId":"#)
      value0 = try reader.value()
      try reader.literal(#","categoryId":"#)
      value3 = try reader.value()
      try reader.literal(#","diet":"#)
      value2 = try reader.value()
      try reader.literal(#","name":"#)
      value1 = try reader.value()
      try reader.literal("}}")
    } else {
      try reader.literal(#""animalId":"#)
      value0 = try reader.value()
      try reader.literal(#","name":"#)
      value1 = try reader.value()
      try reader.literal(#","diet":"#)
      value2 = try reader.value()
      try reader.literal(#","categoryId":"#)
      value3 = try reader.value()
      try reader.literal("}}")
    }
    return .onTapUpdateAnimalButton(animalId: value0, name: value1, diet: value2, categoryId: value3)
  }
  throw DirectMismatch()
}

extension AnimalsAction.UI.AnimalEditor: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onTapAddAnimalButton: writer.literal("onTapAddAnimalButton")
    case .onTapUpdateAnimalButton: writer.literal("onTapUpdateAnimalButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onTapAddAnimalButton(id: let value0, name: let value1, diet: let value2, categoryId: let value3):
      if writer.isCanonical {
        writer.literal(#"{"categoryId":"#)
        writer.required(value3)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","id":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal("}")
      } else {
        writer.literal(#"{"id":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal("}")
      }
    case .onTapUpdateAnimalButton(animalId: let value0, name: let value1, diet: let value2, categoryId: let value3):
      if writer.isCanonical {
        writer.literal(#"{"animalId":"#)
        writer.required(value0)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal("}")
      } else {
        writer.literal(#"{"animalId":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal("}")
      }
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action14(&type, &data)
  }
}

private func action14(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.UI.AnimalEditor {
  if type.acceptLast("onTapAddAnimalButton") {
    let value0: Swift.String
    let value1: Swift.String
    let value2: Animal.Diet
    let value3: Swift.String
    try data.literal("{")
    if data.isCanonical {
      try data.literal(#""categoryId":"#)
      value3 = try data.value()
      try data.literal(#","diet":"#)
      value2 = try data.value()
      try data.literal(#","id":"#)
      value0 = try data.value()
      try data.literal(#","name":"#)
      value1 = try data.value()
      try data.literal("}")
    } else {
      try data.literal(#""id":"#)
      value0 = try data.value()
      try data.literal(#","name":"#)
      value1 = try data.value()
      try data.literal(#","diet":"#)
      value2 = try data.value()
      try data.literal(#","categoryId":"#)
      value3 = try data.value()
      try data.literal("}")
    }
    return .onTapAddAnimalButton(id: value0, name: value1, diet: value2, categoryId: value3)
  }
  if type.acceptLast("onTapUpdateAnimalButton") {
    let value0: Swift.String
    let value1: Swift.String
    let value2: Animal.Diet
    let value3: Swift.String
    try data.literal("{")
    if data.isCanonical {
      try data.literal(#""animalId":"#)
      value0 = try data.value()
      try data.literal(#","categoryId":"#)
      value3 = try data.value()
      try data.literal(#","diet":"#)
      value2 = try data.value()
      try data.literal(#","name":"#)
      value1 = try data.value()
      try data.literal("}")
    } else {
      try data.literal(#""animalId":"#)
      value0 = try data.value()
      try data.literal(#","name":"#)
      value1 = try data.value()
      try data.literal(#","diet":"#)
      value2 = try data.value()
      try data.literal(#","categoryId":"#)
      value3 = try data.value()
      try data.literal("}")
    }
    return .onTapUpdateAnimalButton(animalId: value0, name: value1, diet: value2, categoryId: value3)
  }
  throw DirectMismatch()
}

private func parts14() -> [any DirectCodable.Type] {
  [Animal.Diet.self]
}

// MARK: AnimalsAction.UI.AnimalList

extension AnimalsAction.UI.AnimalList: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onAppear:
      writer.literal(#"{"onAppear":{}}"#)
    case .onTapDeleteSelectedAnimalButton(animalId: let value0):
      writer.literal(#"{"onTapDeleteSelectedAnimalButton":{"animalId":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read15(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onAppear":{}}"#,
      #"{"onTapDeleteSelectedAnimalButton":{"animalId":""}}"#,
      #"{"onTapDeleteSelectedAnimalButton":{"animalId":"Grüße"}}"#,
      #"{"onTapDeleteSelectedAnimalButton":{"animalId":"a\"b"}}"#,
    ],
    parts: { [] }
  )
}

private func read15(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.UI.AnimalList {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onAppear":{}}"#) {
    return .onAppear
  }
  if reader.accept(#"{"onTapDeleteSelectedAnimalButton":{"animalId":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .onTapDeleteSelectedAnimalButton(animalId: value0)
  }
  throw DirectMismatch()
}

extension AnimalsAction.UI.AnimalList: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onAppear: writer.literal("onAppear")
    case .onTapDeleteSelectedAnimalButton: writer.literal("onTapDeleteSelectedAnimalButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onAppear:
      writer.literal("{}")
    case .onTapDeleteSelectedAnimalButton(animalId: let value0):
      writer.literal(#"{"animalId":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action15(&type, &data)
  }
}

private func action15(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.UI.AnimalList {
  if type.acceptLast("onAppear") {
    try data.literal("{}")
    return .onAppear
  }
  if type.acceptLast("onTapDeleteSelectedAnimalButton") {
    let value0: Swift.String
    try data.literal(#"{"animalId":"#)
    value0 = try data.value()
    try data.literal("}")
    return .onTapDeleteSelectedAnimalButton(animalId: value0)
  }
  throw DirectMismatch()
}

// MARK: AnimalsAction.UI.CategoryList

extension AnimalsAction.UI.CategoryList: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .onAppear:
      writer.literal(#"{"onAppear":{}}"#)
    case .onTapReloadSampleDataButton:
      writer.literal(#"{"onTapReloadSampleDataButton":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read16(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"onAppear":{}}"#,
      #"{"onTapReloadSampleDataButton":{}}"#,
    ],
    parts: { [] }
  )
}

private func read16(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsAction.UI.CategoryList {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"onAppear":{}}"#) {
    return .onAppear
  }
  if reader.accept(#"{"onTapReloadSampleDataButton":{}}"#) {
    return .onTapReloadSampleDataButton
  }
  throw DirectMismatch()
}

extension AnimalsAction.UI.CategoryList: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .onAppear: writer.literal("onAppear")
    case .onTapReloadSampleDataButton: writer.literal("onTapReloadSampleDataButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .onAppear:
      writer.literal("{}")
    case .onTapReloadSampleDataButton:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action16(&type, &data)
  }
}

private func action16(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsAction.UI.CategoryList {
  if type.acceptLast("onAppear") {
    try data.literal("{}")
    return .onAppear
  }
  if type.acceptLast("onTapReloadSampleDataButton") {
    try data.literal("{}")
    return .onTapReloadSampleDataButton
  }
  throw DirectMismatch()
}

// MARK: AnimalsState

extension AnimalsState: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"animals":"#)
      writer.required(self.animals)
      writer.literal(#","categories":"#)
      writer.required(self.categories)
      writer.literal("}")
    } else {
      writer.literal(#"{"categories":"#)
      writer.required(self.categories)
      writer.literal(#","animals":"#)
      writer.required(self.animals)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""animals":"#)
      self.animals = try reader.value()
      try reader.literal(#","categories":"#)
      self.categories = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""categories":"#)
      self.categories = try reader.value()
      try reader.literal(#","animals":"#)
      self.animals = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["categories", "animals"],
    samples: [
      #"{"categories":{"data":{}},"animals":{"data":{},"queue":{}}}"#,
    ],
    parts: { parts17() }
  )
}

private func parts17() -> [any DirectCodable.Type] {
  [AnimalsState.Animals.self, AnimalsState.Categories.self]
}

// MARK: AnimalsState.Animals

extension AnimalsState.Animals: DirectCodable {
  package func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"data":"#)
      writer.required(self.data)
      writer.literal(#","queue":"#)
      writer.required(self.queue)
      if let value = self.status {
        writer.literal(#","status":"#)
        writer.required(value)
      }
      writer.literal("}")
    } else {
      writer.literal(#"{"data":"#)
      writer.required(self.data)
      if let value = self.status {
        writer.literal(#","status":"#)
        writer.required(value)
      }
      writer.literal(#","queue":"#)
      writer.required(self.queue)
      writer.literal("}")
    }
    writer.leave()
  }

  package init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""data":"#)
      self.data = try reader.value()
      try reader.literal(#","queue":"#)
      self.queue = try reader.value()
      self.status = try reader.accept(#","status":"#) ? .some(reader.value()) : nil
      try reader.literal("}")
    } else {
      try reader.literal(#""data":"#)
      self.data = try reader.value()
      self.status = try reader.accept(#","status":"#) ? .some(reader.value()) : nil
      try reader.literal(#","queue":"#)
      self.queue = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  package static let directShape = DirectShape(
    of: Self.self, members: ["data", "status", "queue"],
    samples: [
      #"{"data":{},"queue":{}}"#,
      #"{"data":{"Grüße":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}},"status":{"empty":{}},"queue":{"Grüße":{"empty":{}}}}"#,
      #"{"data":{"a\"b":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}},"status":{"empty":{}},"queue":{"a\"b":{"empty":{}}}}"#,
    ],
    parts: { parts18() }
  )
}

private func parts18() -> [any DirectCodable.Type] {
  [Animal.self, Status.self]
}

// MARK: AnimalsState.Categories

extension AnimalsState.Categories: DirectCodable {
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
      #"{"data":{"Grüße":{"categoryId":"","name":""}},"status":{"empty":{}}}"#,
      #"{"data":{"a\"b":{"categoryId":"","name":""}},"status":{"empty":{}}}"#,
    ],
    parts: { parts19() }
  )
}

private func parts19() -> [any DirectCodable.Type] {
  [Category.self, Status.self]
}

// MARK: AnimalsStoreAction

extension AnimalsStoreAction: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didInsertSampleData(animals: let value0, categories: let value1):
      writer.literal(#"{"didInsertSampleData":{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}}")
    case .didReloadSampleData(animals: let value0, categories: let value1):
      writer.literal(#"{"didReloadSampleData":{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}}")
    case .didAddAnimal(animal: let value0):
      writer.literal(#"{"didAddAnimal":{"animal":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didUpdateAnimal(animal: let value0):
      writer.literal(#"{"didUpdateAnimal":{"animal":"#)
      writer.required(value0)
      writer.literal("}}")
    case .didDeleteAnimal(animalId: let value0):
      writer.literal(#"{"didDeleteAnimal":{"animalId":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read20(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"didInsertSampleData":{"animals":[],"categories":[]}}"#,
      #"{"didInsertSampleData":{"animals":[{"animalId":"","name":"","diet":"Herbivore","categoryId":""}],"categories":[{"categoryId":"","name":""}]}}"#,
      #"{"didReloadSampleData":{"animals":[],"categories":[]}}"#,
      #"{"didReloadSampleData":{"animals":[{"animalId":"","name":"","diet":"Herbivore","categoryId":""}],"categories":[{"categoryId":"","name":""}]}}"#,
      #"{"didAddAnimal":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"didUpdateAnimal":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"didDeleteAnimal":{"animalId":""}}"#,
      #"{"didDeleteAnimal":{"animalId":"Grüße"}}"#,
      #"{"didDeleteAnimal":{"animalId":"a\"b"}}"#,
    ],
    parts: { parts20() }
  )
}

private func read20(_ reader: inout DirectReader) throws(DirectMismatch) -> AnimalsStoreAction {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didInsertSampleData":{"animals":"#) {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    value0 = try reader.value()
    try reader.literal(#","categories":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .didInsertSampleData(animals: value0, categories: value1)
  }
  if reader.accept(#"{"didReloadSampleData":{"animals":"#) {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    value0 = try reader.value()
    try reader.literal(#","categories":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .didReloadSampleData(animals: value0, categories: value1)
  }
  if reader.accept(#"{"didAddAnimal":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .didAddAnimal(animal: value0)
  }
  if reader.accept(#"{"didUpdateAnimal":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .didUpdateAnimal(animal: value0)
  }
  if reader.accept(#"{"didDeleteAnimal":{"animalId":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .didDeleteAnimal(animalId: value0)
  }
  throw DirectMismatch()
}

extension AnimalsStoreAction: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didInsertSampleData: writer.literal("didInsertSampleData")
    case .didReloadSampleData: writer.literal("didReloadSampleData")
    case .didAddAnimal: writer.literal("didAddAnimal")
    case .didUpdateAnimal: writer.literal("didUpdateAnimal")
    case .didDeleteAnimal: writer.literal("didDeleteAnimal")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didInsertSampleData(animals: let value0, categories: let value1):
      writer.literal(#"{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}")
    case .didReloadSampleData(animals: let value0, categories: let value1):
      writer.literal(#"{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}")
    case .didAddAnimal(animal: let value0):
      writer.literal(#"{"animal":"#)
      writer.required(value0)
      writer.literal("}")
    case .didUpdateAnimal(animal: let value0):
      writer.literal(#"{"animal":"#)
      writer.required(value0)
      writer.literal("}")
    case .didDeleteAnimal(animalId: let value0):
      writer.literal(#"{"animalId":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action20(&type, &data)
  }
}

private func action20(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> AnimalsStoreAction {
  if type.acceptLast("didInsertSampleData") {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    try data.literal(#"{"animals":"#)
    value0 = try data.value()
    try data.literal(#","categories":"#)
    value1 = try data.value()
    try data.literal("}")
    return .didInsertSampleData(animals: value0, categories: value1)
  }
  if type.acceptLast("didReloadSampleData") {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    try data.literal(#"{"animals":"#)
    value0 = try data.value()
    try data.literal(#","categories":"#)
    value1 = try data.value()
    try data.literal("}")
    return .didReloadSampleData(animals: value0, categories: value1)
  }
  if type.acceptLast("didAddAnimal") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didAddAnimal(animal: value0)
  }
  if type.acceptLast("didUpdateAnimal") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didUpdateAnimal(animal: value0)
  }
  if type.acceptLast("didDeleteAnimal") {
    let value0: Swift.String
    try data.literal(#"{"animalId":"#)
    value0 = try data.value()
    try data.literal("}")
    return .didDeleteAnimal(animalId: value0)
  }
  throw DirectMismatch()
}

private func parts20() -> [any DirectCodable.Type] {
  [Animal.self, Category.self]
}

// MARK: AnimalsStoreState

extension AnimalsStoreState: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal(#"{"animals":"#)
      writer.required(self.animals)
      writer.literal(#","categories":"#)
      writer.required(self.categories)
      writer.literal("}")
    } else {
      writer.literal(#"{"categories":"#)
      writer.required(self.categories)
      writer.literal(#","animals":"#)
      writer.required(self.animals)
      writer.literal("}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal("{")
    if reader.isCanonical {
      try reader.literal(#""animals":"#)
      self.animals = try reader.value()
      try reader.literal(#","categories":"#)
      self.categories = try reader.value()
      try reader.literal("}")
    } else {
      try reader.literal(#""categories":"#)
      self.categories = try reader.value()
      try reader.literal(#","animals":"#)
      self.animals = try reader.value()
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["categories", "animals"],
    samples: [
      #"{"categories":{},"animals":{}}"#,
      #"{"categories":{"Grüße":{"categoryId":"","name":""}},"animals":{"Grüße":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"categories":{"a\"b":{"categoryId":"","name":""}},"animals":{"a\"b":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
    ],
    parts: { parts21() }
  )
}

private func parts21() -> [any DirectCodable.Type] {
  [Animal.self, Category.self]
}

// MARK: Category

extension Category: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"categoryId":"#)
    writer.required(self.categoryId)
    writer.literal(#","name":"#)
    writer.required(self.name)
    writer.literal("}")
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"categoryId":"#)
    self.categoryId = try reader.value()
    try reader.literal(#","name":"#)
    self.name = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["categoryId", "name"],
    samples: [
      #"{"categoryId":"","name":""}"#,
      #"{"categoryId":"Grüße","name":"Grüße"}"#,
      #"{"categoryId":"a\"b","name":"a\"b"}"#,
    ],
    parts: { [] }
  )
}

// MARK: RemoteRequest

extension RemoteRequest: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal("{")
      if let value = self.mutation {
        writer.literal(#""mutation":"#)
        writer.required(value)
      }
      if let value = self.query {
        writer.separator()
        writer.literal(#""query":"#)
        writer.required(value)
      }
      writer.literal("}")
    } else {
      writer.literal("{")
      if let value = self.query {
        writer.literal(#""query":"#)
        writer.required(value)
      }
      if let value = self.mutation {
        writer.separator()
        writer.literal(#""mutation":"#)
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
      var isFirst = true
      self.mutation = try reader.acceptMember(#""mutation":"#, first: &isFirst) ? .some(reader.value()) : nil
      self.query = try reader.acceptMember(#""query":"#, first: &isFirst) ? .some(reader.value()) : nil
      try reader.literal("}")
    } else {
      var isFirst = true
      self.query = try reader.acceptMember(#""query":"#, first: &isFirst) ? .some(reader.value()) : nil
      self.mutation = try reader.acceptMember(#""mutation":"#, first: &isFirst) ? .some(reader.value()) : nil
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["query", "mutation"],
    samples: [
      "{}",
      #"{"query":[{"categories":{}}],"mutation":[{"addAnimal":{"name":"","diet":"Herbivore","categoryId":""}}]}"#,
    ],
    parts: { parts23() }
  )
}

private func parts23() -> [any DirectCodable.Type] {
  [RemoteRequest.Mutation.self, RemoteRequest.Query.self]
}

// MARK: RemoteRequest.Mutation

extension RemoteRequest.Mutation: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .addAnimal(name: let value0, diet: let value1, categoryId: let value2):
      if writer.isCanonical {
        writer.literal(#"{"addAnimal":{"categoryId":"#)
        writer.required(value2)
        writer.literal(#","diet":"#)
        writer.required(value1)
        writer.literal(#","name":"#)
        writer.required(value0)
        writer.literal("}}")
      } else {
        writer.literal(#"{"addAnimal":{"name":"#)
        writer.required(value0)
        writer.literal(#","diet":"#)
        writer.required(value1)
        writer.literal(#","categoryId":"#)
        writer.required(value2)
        writer.literal("}}")
      }
    case .updateAnimal(animalId: let value0, name: let value1, diet: let value2, categoryId: let value3):
      if writer.isCanonical {
        writer.literal(#"{"updateAnimal":{"animalId":"#)
        writer.required(value0)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal("}}")
      } else {
        writer.literal(#"{"updateAnimal":{"animalId":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal("}}")
      }
    case .deleteAnimal(animalId: let value0):
      writer.literal(#"{"deleteAnimal":{"animalId":"#)
      writer.required(value0)
      writer.literal("}}")
    case .reloadSampleData:
      writer.literal(#"{"reloadSampleData":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read24(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"addAnimal":{"name":"","diet":"Herbivore","categoryId":""}}"#,
      #"{"addAnimal":{"name":"Grüße","diet":"Herbivore","categoryId":"Grüße"}}"#,
      #"{"addAnimal":{"name":"a\"b","diet":"Herbivore","categoryId":"a\"b"}}"#,
      #"{"updateAnimal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}"#,
      #"{"updateAnimal":{"animalId":"Grüße","name":"Grüße","diet":"Herbivore","categoryId":"Grüße"}}"#,
      #"{"updateAnimal":{"animalId":"a\"b","name":"a\"b","diet":"Herbivore","categoryId":"a\"b"}}"#,
      #"{"deleteAnimal":{"animalId":""}}"#,
      #"{"deleteAnimal":{"animalId":"Grüße"}}"#,
      #"{"deleteAnimal":{"animalId":"a\"b"}}"#,
      #"{"reloadSampleData":{}}"#,
    ],
    parts: { parts24() }
  )
}

private func read24(_ reader: inout DirectReader) throws(DirectMismatch) -> RemoteRequest.Mutation {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"addAnimal":{"#) {
    let value0: Swift.String
    let value1: Animal.Diet
    let value2: Swift.String
    if reader.isCanonical {
      try reader.literal(#""categoryId":"#)
      value2 = try reader.value()
      try reader.literal(#","diet":"#)
      value1 = try reader.value()
      try reader.literal(#","name":"#)
      value0 = try reader.value()
      try reader.literal("}}")
    } else {
      try reader.literal(#""name":"#)
      value0 = try reader.value()
      try reader.literal(#","diet":"#)
      value1 = try reader.value()
      try reader.literal(#","categoryId":"#)
      value2 = try reader.value()
      try reader.literal("}}")
    }
    return .addAnimal(name: value0, diet: value1, categoryId: value2)
  }
  if reader.accept(#"{"updateAnimal":{"#) {
    let value0: Swift.String
    let value1: Swift.String
    let value2: Animal.Diet
    let value3: Swift.String
    if reader.isCanonical {
      try reader.literal(#""animalId":"#)
      value0 = try reader.value()
      try reader.literal(#","categoryId":"#)
      value3 = try reader.value()
      try reader.literal(#","diet":"#)
      value2 = try reader.value()
      try reader.literal(#","name":"#)
      value1 = try reader.value()
      try reader.literal("}}")
    } else {
      try reader.literal(#""animalId":"#)
      value0 = try reader.value()
      try reader.literal(#","name":"#)
      value1 = try reader.value()
      try reader.literal(#","diet":"#)
      value2 = try reader.value()
      try reader.literal(#","categoryId":"#)
      value3 = try reader.value()
      try reader.literal("}}")
    }
    return .updateAnimal(animalId: value0, name: value1, diet: value2, categoryId: value3)
  }
  if reader.accept(#"{"deleteAnimal":{"animalId":"#) {
    let value0: Swift.String
    value0 = try reader.value()
    try reader.literal("}}")
    return .deleteAnimal(animalId: value0)
  }
  if reader.accept(#"{"reloadSampleData":{}}"#) {
    return .reloadSampleData
  }
  throw DirectMismatch()
}

extension RemoteRequest.Mutation: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .addAnimal: writer.literal("addAnimal")
    case .updateAnimal: writer.literal("updateAnimal")
    case .deleteAnimal: writer.literal("deleteAnimal")
    case .reloadSampleData: writer.literal("reloadSampleData")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .addAnimal(name: let value0, diet: let value1, categoryId: let value2):
      if writer.isCanonical {
        writer.literal(#"{"categoryId":"#)
        writer.required(value2)
        writer.literal(#","diet":"#)
        writer.required(value1)
        writer.literal(#","name":"#)
        writer.required(value0)
        writer.literal("}")
      } else {
        writer.literal(#"{"name":"#)
        writer.required(value0)
        writer.literal(#","diet":"#)
        writer.required(value1)
        writer.literal(#","categoryId":"#)
        writer.required(value2)
        writer.literal("}")
      }
    case .updateAnimal(animalId: let value0, name: let value1, diet: let value2, categoryId: let value3):
      if writer.isCanonical {
        writer.literal(#"{"animalId":"#)
        writer.required(value0)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal("}")
      } else {
        writer.literal(#"{"animalId":"#)
        writer.required(value0)
        writer.literal(#","name":"#)
        writer.required(value1)
        writer.literal(#","diet":"#)
        writer.required(value2)
        writer.literal(#","categoryId":"#)
        writer.required(value3)
        writer.literal("}")
      }
    case .deleteAnimal(animalId: let value0):
      writer.literal(#"{"animalId":"#)
      writer.required(value0)
      writer.literal("}")
    case .reloadSampleData:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action24(&type, &data)
  }
}

private func action24(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> RemoteRequest.Mutation {
  if type.acceptLast("addAnimal") {
    let value0: Swift.String
    let value1: Animal.Diet
    let value2: Swift.String
    try data.literal("{")
    if data.isCanonical {
      try data.literal(#""categoryId":"#)
      value2 = try data.value()
      try data.literal(#","diet":"#)
      value1 = try data.value()
      try data.literal(#","name":"#)
      value0 = try data.value()
      try data.literal("}")
    } else {
      try data.literal(#""name":"#)
      value0 = try data.value()
      try data.literal(#","diet":"#)
      value1 = try data.value()
      try data.literal(#","categoryId":"#)
      value2 = try data.value()
      try data.literal("}")
    }
    return .addAnimal(name: value0, diet: value1, categoryId: value2)
  }
  if type.acceptLast("updateAnimal") {
    let value0: Swift.String
    let value1: Swift.String
    let value2: Animal.Diet
    let value3: Swift.String
    try data.literal("{")
    if data.isCanonical {
      try data.literal(#""animalId":"#)
      value0 = try data.value()
      try data.literal(#","categoryId":"#)
      value3 = try data.value()
      try data.literal(#","diet":"#)
      value2 = try data.value()
      try data.literal(#","name":"#)
      value1 = try data.value()
      try data.literal("}")
    } else {
      try data.literal(#""animalId":"#)
      value0 = try data.value()
      try data.literal(#","name":"#)
      value1 = try data.value()
      try data.literal(#","diet":"#)
      value2 = try data.value()
      try data.literal(#","categoryId":"#)
      value3 = try data.value()
      try data.literal("}")
    }
    return .updateAnimal(animalId: value0, name: value1, diet: value2, categoryId: value3)
  }
  if type.acceptLast("deleteAnimal") {
    let value0: Swift.String
    try data.literal(#"{"animalId":"#)
    value0 = try data.value()
    try data.literal("}")
    return .deleteAnimal(animalId: value0)
  }
  if type.acceptLast("reloadSampleData") {
    try data.literal("{}")
    return .reloadSampleData
  }
  throw DirectMismatch()
}

private func parts24() -> [any DirectCodable.Type] {
  [Animal.Diet.self]
}

// MARK: RemoteRequest.Query

extension RemoteRequest.Query: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .categories:
      writer.literal(#"{"categories":{}}"#)
    case .animals:
      writer.literal(#"{"animals":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read25(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"categories":{}}"#,
      #"{"animals":{}}"#,
    ],
    parts: { [] }
  )
}

private func read25(_ reader: inout DirectReader) throws(DirectMismatch) -> RemoteRequest.Query {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"categories":{}}"#) {
    return .categories
  }
  if reader.accept(#"{"animals":{}}"#) {
    return .animals
  }
  throw DirectMismatch()
}

extension RemoteRequest.Query: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .categories: writer.literal("categories")
    case .animals: writer.literal("animals")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .categories:
      writer.literal("{}")
    case .animals:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action25(&type, &data)
  }
}

private func action25(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> RemoteRequest.Query {
  if type.acceptLast("categories") {
    try data.literal("{}")
    return .categories
  }
  if type.acceptLast("animals") {
    try data.literal("{}")
    return .animals
  }
  throw DirectMismatch()
}

// MARK: RemoteResponse

extension RemoteResponse: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    if writer.isCanonical {
      writer.literal("{")
      if let value = self.mutation {
        writer.literal(#""mutation":"#)
        writer.required(value)
      }
      if let value = self.query {
        writer.separator()
        writer.literal(#""query":"#)
        writer.required(value)
      }
      writer.literal("}")
    } else {
      writer.literal("{")
      if let value = self.query {
        writer.literal(#""query":"#)
        writer.required(value)
      }
      if let value = self.mutation {
        writer.separator()
        writer.literal(#""mutation":"#)
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
      var isFirst = true
      self.mutation = try reader.acceptMember(#""mutation":"#, first: &isFirst) ? .some(reader.value()) : nil
      self.query = try reader.acceptMember(#""query":"#, first: &isFirst) ? .some(reader.value()) : nil
      try reader.literal("}")
    } else {
      var isFirst = true
      self.query = try reader.acceptMember(#""query":"#, first: &isFirst) ? .some(reader.value()) : nil
      self.mutation = try reader.acceptMember(#""mutation":"#, first: &isFirst) ? .some(reader.value()) : nil
      try reader.literal("}")
    }
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["query", "mutation"],
    samples: [
      "{}",
      #"{"query":[{"categories":{"categories":[]}}],"mutation":[{"addAnimal":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}]}"#,
    ],
    parts: { parts26() }
  )
}

private func parts26() -> [any DirectCodable.Type] {
  [RemoteResponse.Mutation.self, RemoteResponse.Query.self]
}

// MARK: RemoteResponse.Mutation

extension RemoteResponse.Mutation: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .addAnimal(animal: let value0):
      writer.literal(#"{"addAnimal":{"animal":"#)
      writer.required(value0)
      writer.literal("}}")
    case .updateAnimal(animal: let value0):
      writer.literal(#"{"updateAnimal":{"animal":"#)
      writer.required(value0)
      writer.literal("}}")
    case .deleteAnimal(animal: let value0):
      writer.literal(#"{"deleteAnimal":{"animal":"#)
      writer.required(value0)
      writer.literal("}}")
    case .reloadSampleData(animals: let value0, categories: let value1):
      writer.literal(#"{"reloadSampleData":{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read27(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"addAnimal":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"updateAnimal":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"deleteAnimal":{"animal":{"animalId":"","name":"","diet":"Herbivore","categoryId":""}}}"#,
      #"{"reloadSampleData":{"animals":[],"categories":[]}}"#,
      #"{"reloadSampleData":{"animals":[{"animalId":"","name":"","diet":"Herbivore","categoryId":""}],"categories":[{"categoryId":"","name":""}]}}"#,
    ],
    parts: { parts27() }
  )
}

private func read27(_ reader: inout DirectReader) throws(DirectMismatch) -> RemoteResponse.Mutation {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"addAnimal":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .addAnimal(animal: value0)
  }
  if reader.accept(#"{"updateAnimal":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .updateAnimal(animal: value0)
  }
  if reader.accept(#"{"deleteAnimal":{"animal":"#) {
    let value0: Animal
    value0 = try reader.value()
    try reader.literal("}}")
    return .deleteAnimal(animal: value0)
  }
  if reader.accept(#"{"reloadSampleData":{"animals":"#) {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    value0 = try reader.value()
    try reader.literal(#","categories":"#)
    value1 = try reader.value()
    try reader.literal("}}")
    return .reloadSampleData(animals: value0, categories: value1)
  }
  throw DirectMismatch()
}

extension RemoteResponse.Mutation: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .addAnimal: writer.literal("addAnimal")
    case .updateAnimal: writer.literal("updateAnimal")
    case .deleteAnimal: writer.literal("deleteAnimal")
    case .reloadSampleData: writer.literal("reloadSampleData")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .addAnimal(animal: let value0):
      writer.literal(#"{"animal":"#)
      writer.required(value0)
      writer.literal("}")
    case .updateAnimal(animal: let value0):
      writer.literal(#"{"animal":"#)
      writer.required(value0)
      writer.literal("}")
    case .deleteAnimal(animal: let value0):
      writer.literal(#"{"animal":"#)
      writer.required(value0)
      writer.literal("}")
    case .reloadSampleData(animals: let value0, categories: let value1):
      writer.literal(#"{"animals":"#)
      writer.required(value0)
      writer.literal(#","categories":"#)
      writer.required(value1)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action27(&type, &data)
  }
}

private func action27(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> RemoteResponse.Mutation {
  if type.acceptLast("addAnimal") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .addAnimal(animal: value0)
  }
  if type.acceptLast("updateAnimal") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .updateAnimal(animal: value0)
  }
  if type.acceptLast("deleteAnimal") {
    let value0: Animal
    try data.literal(#"{"animal":"#)
    value0 = try data.value()
    try data.literal("}")
    return .deleteAnimal(animal: value0)
  }
  if type.acceptLast("reloadSampleData") {
    let value0: Swift.Array<Animal>
    let value1: Swift.Array<Category>
    try data.literal(#"{"animals":"#)
    value0 = try data.value()
    try data.literal(#","categories":"#)
    value1 = try data.value()
    try data.literal("}")
    return .reloadSampleData(animals: value0, categories: value1)
  }
  throw DirectMismatch()
}

private func parts27() -> [any DirectCodable.Type] {
  [Animal.self, Category.self]
}

// MARK: RemoteResponse.Query

extension RemoteResponse.Query: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .categories(categories: let value0):
      writer.literal(#"{"categories":{"categories":"#)
      writer.required(value0)
      writer.literal("}}")
    case .animals(animals: let value0):
      writer.literal(#"{"animals":{"animals":"#)
      writer.required(value0)
      writer.literal("}}")
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read28(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"categories":{"categories":[]}}"#,
      #"{"categories":{"categories":[{"categoryId":"","name":""}]}}"#,
      #"{"animals":{"animals":[]}}"#,
      #"{"animals":{"animals":[{"animalId":"","name":"","diet":"Herbivore","categoryId":""}]}}"#,
    ],
    parts: { parts28() }
  )
}

private func read28(_ reader: inout DirectReader) throws(DirectMismatch) -> RemoteResponse.Query {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"categories":{"categories":"#) {
    let value0: Swift.Array<Category>
    value0 = try reader.value()
    try reader.literal("}}")
    return .categories(categories: value0)
  }
  if reader.accept(#"{"animals":{"animals":"#) {
    let value0: Swift.Array<Animal>
    value0 = try reader.value()
    try reader.literal("}}")
    return .animals(animals: value0)
  }
  throw DirectMismatch()
}

extension RemoteResponse.Query: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .categories: writer.literal("categories")
    case .animals: writer.literal("animals")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .categories(categories: let value0):
      writer.literal(#"{"categories":"#)
      writer.required(value0)
      writer.literal("}")
    case .animals(animals: let value0):
      writer.literal(#"{"animals":"#)
      writer.required(value0)
      writer.literal("}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action28(&type, &data)
  }
}

private func action28(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> RemoteResponse.Query {
  if type.acceptLast("categories") {
    let value0: Swift.Array<Category>
    try data.literal(#"{"categories":"#)
    value0 = try data.value()
    try data.literal("}")
    return .categories(categories: value0)
  }
  if type.acceptLast("animals") {
    let value0: Swift.Array<Animal>
    try data.literal(#"{"animals":"#)
    value0 = try data.value()
    try data.literal("}")
    return .animals(animals: value0)
  }
  throw DirectMismatch()
}

private func parts28() -> [any DirectCodable.Type] {
  [Animal.self, Category.self]
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
    self = try read29(&reader)
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

private func read29(_ reader: inout DirectReader) throws(DirectMismatch) -> Status {
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
    self = try action29(&type, &data)
  }
}

private func action29(
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
