import AnimalsData
import TreeCollections

extension AnimalsAction {
  /// A number that depends on the case and on a text in it: cheap, and enough to see that every action was decoded.
  var weight: UInt64 {
    switch self {
    case .ui(.categoryList(.onAppear)): 1
    case .ui(.categoryList(.onTapReloadSampleDataButton)): 2
    case .ui(.animalList(.onAppear)): 3
    case .ui(.animalList(.onTapDeleteSelectedAnimalButton(let id))): 5 + UInt64(id.utf8.count)
    case .ui(.animalDetail(.onTapDeleteSelectedAnimalButton(let id))): 7 + UInt64(id.utf8.count)
    case .ui(.animalEditor(.onTapAddAnimalButton(let id, let name, _, _))): UInt64(id.utf8.count + 11 * name.utf8.count)
    case .ui(.animalEditor(.onTapUpdateAnimalButton(let id, let name, _, _))):
      UInt64(id.utf8.count + 13 * name.utf8.count)
    case .data(.persistentSession(let action)): action.weight
    }
  }
}

extension AnimalsAction.Data.PersistentSession {
  fileprivate var weight: UInt64 {
    switch self {
    case .didFetchCategories: 17
    case .didFetchAnimals: 19
    case .didReloadSampleData: 23
    case .didAddAnimal(let id, _): UInt64(29 * id.utf8.count)
    case .didUpdateAnimal(let id, _): UInt64(31 * id.utf8.count)
    case .didDeleteAnimal(let id, _): UInt64(37 * id.utf8.count)
    }
  }
}

extension AnimalsState {
  /// A number that does not depend on the process, nor on the order of a table.
  var weight: UInt64 {
    var sum = UInt64(animals.data.count) << 32 | UInt64(animals.queue.count)
    for (id, animal) in animals.data {
      sum &+= UInt64(id.utf8.count + 3 * animal.name.utf8.count + 5 * animal.categoryId.utf8.count)
    }
    return sum
  }
}

extension Sequence<UInt8> {
  /// FNV-1a, 64 bits: the hash of bytes that a round wrote.
  var fnv: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
