package import Foundation

/// A value with every shape of `Codable` types, for property tests of the coders.
package struct Zoo: Codable, Equatable {
  package var scalars: ZooScalars
  package var optionals: ZooOptionals
  package var dictionaries: ZooDictionaries
  package var sets: ZooSets
  package var foundation: ZooFoundation
  package var tree: ZooTree
  package var actions: [ZooAction]
  package var classes: [ZooDog]
  package var cats: [ZooCat]
  package var handWritten: ZooHandWritten
  package var names: ZooNames
  package var collections: ZooCollections
  package var pair: ZooPair<ZooKind, [ZooPair<Int, String?>]>
  package var empty: ZooEmpty
  package var emptyArray: [ZooEmpty]

  /// Creates a random zoo.
  package init(using generator: inout SeededGenerator) {
    scalars = ZooScalars(using: &generator)
    optionals = ZooOptionals(using: &generator)
    dictionaries = ZooDictionaries(using: &generator)
    sets = ZooSets(using: &generator)
    foundation = ZooFoundation(using: &generator)
    tree = ZooTree(depth: 5, using: &generator)
    actions = generator.array { ZooAction(using: &$0) }
    classes = generator.array { ZooDog(using: &$0) }
    cats = generator.array { ZooCat(using: &$0) }
    handWritten = ZooHandWritten(using: &generator)
    names = ZooNames(using: &generator)
    collections = ZooCollections(using: &generator)
    pair = ZooPair(
      first: generator.element(ZooKind.allCases),
      second: generator.array { generator in
        ZooPair(first: generator.integer(), second: generator.optional { $0.string() })
      })
    empty = ZooEmpty()
    emptyArray = generator.array { _ in ZooEmpty() }
  }
}

/// All types that containers support directly.
package struct ZooScalars: Codable, Equatable, Hashable {
  package var bool: Bool
  package var int: Int
  package var int8: Int8
  package var int16: Int16
  package var int32: Int32
  package var int64: Int64
  package var uint: UInt
  package var uint8: UInt8
  package var uint16: UInt16
  package var uint32: UInt32
  package var uint64: UInt64
  package var float: Float
  package var double: Double
  package var string: String
  package let constant = 7

  private enum CodingKeys: String, CodingKey {
    case string, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
    case float, double = "Doppel"
  }

  package init(using generator: inout SeededGenerator) {
    bool = Bool.random(using: &generator)
    int = generator.integer()
    int8 = generator.integer()
    int16 = generator.integer()
    int32 = generator.integer()
    int64 = generator.integer()
    uint = generator.integer()
    uint8 = generator.integer()
    uint16 = generator.integer()
    uint32 = generator.integer()
    uint64 = generator.integer()
    float = generator.float()
    double = generator.double()
    string = generator.string()
  }
}

/// Values that may be absent.
package struct ZooOptionals: Codable, Equatable {
  package var int: Int?
  package var string: String?
  package var nested: Int??
  package var point: ZooPoint?
  package var list: [Int?]
  package var values: [String: Int?]
  package var dictionary: [String: ZooPoint]?

  package init(using generator: inout SeededGenerator) {
    int = generator.optional { $0.integer() }
    string = generator.optional { $0.string() }
    // All coders decode a missing value within a present one as missing.
    nested = generator.optional { .some($0.integer()) }
    point = generator.optional { ZooPoint(using: &$0) }
    list = generator.array { $0.optional { $0.integer() } }
    values = generator.dictionary {
      $0.string()
    } value: {
      $0.optional { $0.integer() }
    }
    dictionary = generator.optional { generator in
      generator.dictionary {
        $0.string()
      } value: {
        ZooPoint(using: &$0)
      }
    }
  }
}

/// Dictionaries with every kind of key.
package struct ZooDictionaries: Codable, Equatable {
  package var strings: [String: Int]
  package var ints: [Int: String]
  package var representable: [ZooTag: ZooPoint]
  package var kinds: [ZooKind: Double]
  package var points: [ZooPoint: [String: Int]]
  package var uuids: [UUID: Int]
  package var bools: [Bool: [Int: Set<String>]]
  package var dates: [Date: String]
  package var unsigned: [UInt8: ZooEmpty]

  package init(using generator: inout SeededGenerator) {
    strings = generator.dictionary {
      $0.string()
    } value: {
      $0.integer()
    }
    ints = generator.dictionary {
      $0.integer()
    } value: {
      $0.string()
    }
    representable = generator.dictionary {
      ZooTag(text: $0.string())
    } value: {
      ZooPoint(using: &$0)
    }
    kinds = generator.dictionary {
      $0.element(ZooKind.allCases)
    } value: {
      $0.double()
    }
    points = generator.dictionary {
      ZooPoint(using: &$0)
    } value: { generator in
      generator.dictionary {
        $0.string()
      } value: {
        $0.integer()
      }
    }
    uuids = generator.dictionary {
      $0.uuid()
    } value: {
      $0.integer()
    }
    bools = generator.dictionary {
      Bool.random(using: &$0)
    } value: { generator in
      generator.dictionary {
        $0.integer()
      } value: {
        Set($0.array { $0.string() })
      }
    }
    dates = generator.dictionary {
      $0.date()
    } value: {
      $0.string()
    }
    unsigned = generator.dictionary {
      $0.integer()
    } value: { _ in
      ZooEmpty()
    }
  }
}

/// Sets of scalars, structs, enums and sets.
package struct ZooSets: Codable, Equatable {
  package var ints: Set<Int>
  package var strings: Set<String>
  package var points: Set<ZooPoint>
  package var kinds: Set<ZooKind>
  package var sets: Set<Set<UInt8>>
  package var trees: Set<ZooTree>

  package init(using generator: inout SeededGenerator) {
    ints = Set(generator.array { $0.integer() })
    strings = Set(generator.array { $0.string() })
    points = Set(generator.array { ZooPoint(using: &$0) })
    kinds = Set(generator.array { $0.element(ZooKind.allCases) })
    sets = Set(generator.array { Set($0.array { $0.integer() }) })
    trees = Set(generator.array { ZooTree(depth: 2, using: &$0) })
  }
}

/// The Foundation types with rules in the format.
package struct ZooFoundation: Codable, Equatable {
  package var date: Date
  package var data: Data
  package var url: URL
  package var uuid: UUID
  package var decimal: Decimal
  package var maybe: Date?
  package var list: [Date]

  package init(using generator: inout SeededGenerator) {
    date = generator.date()
    data = Data(generator.array { $0.integer() as UInt8 })
    url = generator.url()
    uuid = generator.uuid()
    decimal = generator.decimal()
    maybe = generator.optional { $0.date() }
    list = generator.array { $0.date() }
  }
}

/// Collections that encode themselves without keys.
package struct ZooCollections: Codable, Equatable {
  package var bytes: [UInt8]
  package var matrix: [[Double]]
  package var contiguous: ContiguousArray<String>
  package var range: Range<Int>
  package var closed: ClosedRange<String>
  package var options: ZooOptions

  package init(using generator: inout SeededGenerator) {
    bytes = generator.array { $0.integer() }
    matrix = generator.array { $0.array { $0.double() } }
    contiguous = ContiguousArray(generator.array { $0.string() })
    range = 0..<Int.random(in: 0...100, using: &generator)
    closed = "a"..."b"
    options = ZooOptions(rawValue: generator.integer())
  }
}
