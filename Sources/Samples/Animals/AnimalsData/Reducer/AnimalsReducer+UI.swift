import TreeCollections

extension AnimalsReducer {
  static func reduce(into state: inout AnimalsState, action: AnimalsAction.UI.CategoryList) {
    switch action {
    case .onAppear:
      if state.categories.status == nil { state.categories.status = .waiting }
    case .onTapReloadSampleDataButton:
      guard state.categories.status != .waiting, state.animals.status != .waiting else { return }
      state.categories.status = .waiting
      state.animals.status = .waiting
    }
  }

  static func reduce(into state: inout AnimalsState, action: AnimalsAction.UI.AnimalList) throws {
    switch action {
    case .onAppear:
      if state.animals.status == nil { state.animals.status = .waiting }
    case .onTapDeleteSelectedAnimalButton(let animalId):
      try wait(for: animalId, in: &state)
    }
  }

  static func reduce(into state: inout AnimalsState, action: AnimalsAction.UI.AnimalDetail) throws {
    switch action {
    case .onTapDeleteSelectedAnimalButton(let animalId):
      try wait(for: animalId, in: &state)
    }
  }

  static func reduce(into state: inout AnimalsState, action: AnimalsAction.UI.AnimalEditor) throws {
    switch action {
    case .onTapAddAnimalButton(let id, name: _, diet: _, categoryId: _):
      // The row comes with the result; until then there is only the temporary id to wait under.
      state.animals.queue[id] = .waiting
    case .onTapUpdateAnimalButton(let animalId, name: _, diet: _, categoryId: _):
      try wait(for: animalId, in: &state)
    }
  }
}
