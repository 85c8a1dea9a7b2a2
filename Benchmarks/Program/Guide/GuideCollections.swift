import BenchmarkKit
import TreeCollections

/// The collections of the guide's tables.
enum GuideCollections: String, CaseIterable {
  case dictionary = "Dictionary"
  case tree = "TreeDictionary"
  case reference = "class (in place)"
  case boxedDictionary = "Dictionary, CowBox"
  case boxedTree = "TreeDictionary, CowBox"

  /// The collections of the curves and of the folding, whose elements are in no boxes.
  static let plain = [dictionary, tree, reference]

  /// Whether a change copies the whole table, so that one is enough for a sample.
  var isCopying: Bool { self == .dictionary || self == .boxedDictionary }

  /// The samples of an operation.
  func run(_ operation: GuideOperation, elements: Int, samples: Int, directory: String) throws -> GuideRun {
    func run<Table: GuideCollection>(_ table: Table.Type) throws -> GuideRun {
      try GuideSampling<Table>(operation, elements: elements, isCopying: isCopying, directory: directory)
        .run(samples: operation.samples(samples))
    }
    switch self {
    case .dictionary: return try run([Int64: GuideElement].self)
    case .tree: return try run(TreeDictionary<Int64, GuideElement>.self)
    case .reference: return try run(ReferenceTable.self)
    case .boxedDictionary: return try run(BoxedTable<[Int64: CowBox<GuideElement>]>.self)
    case .boxedTree: return try run(BoxedTable<TreeDictionary<Int64, CowBox<GuideElement>>>.self)
    }
  }

  /// The curve of an operation.
  func curve(_ operation: GuideOperation, upTo elements: Int) -> GuideCurve {
    switch self {
    case .dictionary: GuideCurveSampling<[Int64: GuideElement]>.curve(operation, upTo: elements)
    case .tree: GuideCurveSampling<TreeDictionary<Int64, GuideElement>>.curve(operation, upTo: elements)
    case .reference: GuideCurveSampling<ReferenceTable>.curve(operation, upTo: elements)
    case .boxedDictionary, .boxedTree: preconditionFailure("there are no curves of boxed elements")
    }
  }

  /// The time of so many inserts through a reducer.
  func fold(_ inserts: Int) -> GuideFold {
    switch self {
    case .dictionary: GuideFoldSampling<[Int64: GuideElement]>.fold(inserts)
    case .tree: GuideFoldSampling<TreeDictionary<Int64, GuideElement>>.fold(inserts)
    case .reference: GuideFoldSampling<ReferenceTable>.fold(inserts)
    case .boxedDictionary, .boxedTree: preconditionFailure("no boxed elements are folded")
    }
  }
}
