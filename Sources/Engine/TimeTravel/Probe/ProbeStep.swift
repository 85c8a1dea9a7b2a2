import JSONCoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a probe knows of a type that it met.
struct ProbeStep {
  /// How to get from a value of a type to one of its parts.
  enum Way {
    /// By the way in which the type encodes itself.
    case plain
    /// By asking for a key; takes the address of the value.
    case keyed((_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Void)
    /// By asking for the member that the token names, or as ``whole`` if that returns `false`; takes the address of the value.
    case token((_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Bool)
    /// By encoding the value as a whole: its parts have other places than its own coding tells, or no places below it at all.
    case whole
    /// Not at all: nothing lies below a number, a string or a Boolean.
    case leaf
  }

  let way: Way

  /// What the engine's encoder writes in a form of its own.
  private static let ownForms: [any Any.Type] = [
    Date.self, Data.self, URL.self, UUID.self, Decimal.self, JSONValue.self,
  ]

  private static let leaves: [any Any.Type] = [
    String.self, Bool.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self,
    UInt8.self, UInt16.self, UInt32.self, UInt64.self,
  ]

  init<Value: Encodable>(_ type: Value.Type) {
    if Self.leaves.contains(where: { leaf in leaf == type }) {
      way = .leaf
    } else if let keyed = type as? any ProbedByKey.Type {
      way = .keyed(Self.look(keyed))
    } else if let keyed = type as? any ProbedByToken.Type {
      way = .token(Self.lookToken(keyed))
    } else if type is any UnorderedEncodable.Type || Self.ownForms.contains(where: { form in form == type }) {
      way = .whole
    } else {
      way = .plain
    }
  }

  /// Whether the type encodes itself, and pointers follow what it encodes.
  var isPlain: Bool { if case .plain = way { true } else { false } }

  // The closures are only called with values of the type that they were looked up for.

  private static func look<Value: ProbedByKey>(
    _ type: Value.Type
  ) -> (_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Void {
    { value, visit, depth in
      try value.assumingMemoryBound(to: Value.self).pointee.enter(visit.tokens[depth], with: visit, at: depth)
    }
  }

  private static func lookToken<Value: ProbedByToken>(
    _ type: Value.Type
  ) -> (_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Bool {
    { value, visit, depth in
      try value.assumingMemoryBound(to: Value.self).pointee.enter(token: visit.tokens[depth], with: visit, at: depth)
    }
  }
}
