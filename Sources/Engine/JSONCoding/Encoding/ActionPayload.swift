/// An enum that is a value of an action, and not a part of the action's type.
///
/// The type of an action is the path of its enum cases: `.ui(.list(.onTap))` is recorded as `ui.list.onTap`. The path
/// ends before a payload that conforms to this protocol, so the payload is recorded in the action's data:
///
/// ```swift
/// enum Action: Codable { case rule(Rule) }
///
/// indirect enum Rule: Codable, ActionPayload {
///   case always
///   case not(Rule)
/// }
/// // .rule(.not(.always)) is recorded with the type `rule` and the data {"_0":{"not":{"_0":{"always":{}}}}}.
/// // Without the conformance it has the type `rule.not.always` and the data {}.
/// ```
///
/// Add the conformance to every enum that contains itself; otherwise each of its values would be a type of its own.
/// Both forms decode to the same value, with and without the conformance, so you can add it to a model that already has
/// logs.
public protocol ActionPayload: Encodable {}
