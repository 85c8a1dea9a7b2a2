/// An enum with raw values.
package enum ZooKind: String, Codable, CaseIterable, Hashable {
  case cat, dog
  case fox = "🦊"
  case none = ""
}

/// An enum with raw values that are numbers.
package enum ZooLevel: Int, Codable, CaseIterable, Hashable {
  case low = -1
  case high = 1_000_000
}

/// A recursive enum.
package indirect enum ZooTree: Codable, Hashable {
  case empty
  case leaf(Int)
  case node(left: ZooTree, right: ZooTree?)
  case list([ZooTree])

  package init(depth: Int, using generator: inout SeededGenerator) {
    switch depth == 0 ? 0 : Int.random(in: 0...4, using: &generator) {
    case 0: self = .empty
    case 1: self = .leaf(generator.integer())
    case 2: self = .list(generator.array { ZooTree(depth: depth - 1, using: &$0) })
    default:
      self = .node(
        left: ZooTree(depth: depth - 1, using: &generator),
        right: generator.optional { ZooTree(depth: depth - 1, using: &$0) })
    }
  }
}

/// Enums in enums, as the actions of an application are: labelled and unlabelled payloads, none, and several.
package enum ZooAction: Codable, Equatable {
  case ui(UI)
  case data(DataSource)
  case reset
  case move(Int, by: Double)
  case wrap(ZooPoint)
  case maybe(UI?)
  case labelled(action: UI)
  case set([String: ZooPoint])
  case many(ZooKind, ZooLevel)
  case tree(ZooTree)

  package enum UI: Codable, Equatable {
    case list(List)
    case tap(id: String)

    package enum List: Codable, Equatable {
      case onAppear
      case onSelect(animal: String, index: Int?)
      case onMove(Int, Int)
    }
  }

  package enum DataSource: Codable, Equatable {
    case didLoad(id: String, result: Outcome)
    case failed(ZooKind)
  }

  package enum Outcome: Codable, Equatable {
    case success(animals: [ZooPoint])
    case failure(error: String)
  }

  package init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0...9, using: &generator) {
    case 0: self = .ui(UI(using: &generator))
    case 1: self = .data(.didLoad(id: generator.string(), result: Outcome(using: &generator)))
    case 2: self = .reset
    case 3: self = .move(generator.integer(), by: generator.double())
    case 4: self = .wrap(ZooPoint(using: &generator))
    case 5: self = .maybe(generator.optional { UI(using: &$0) })
    case 6: self = .labelled(action: UI(using: &generator))
    case 7:
      self = .set(
        generator.dictionary {
          $0.string()
        } value: {
          ZooPoint(using: &$0)
        })
    case 8: self = .many(generator.element(ZooKind.allCases), generator.element(ZooLevel.allCases))
    default: self = .tree(ZooTree(depth: 3, using: &generator))
    }
  }
}

extension ZooAction.UI {
  fileprivate init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0...3, using: &generator) {
    case 0: self = .list(.onAppear)
    case 1: self = .list(.onSelect(animal: generator.string(), index: generator.optional { $0.integer() }))
    case 2: self = .list(.onMove(generator.integer(), generator.integer()))
    default: self = .tap(id: generator.string())
    }
  }
}

extension ZooAction.Outcome {
  fileprivate init(using generator: inout SeededGenerator) {
    if Bool.random(using: &generator) {
      self = .success(animals: generator.array { ZooPoint(using: &$0) })
    } else {
      self = .failure(error: generator.string())
    }
  }
}
