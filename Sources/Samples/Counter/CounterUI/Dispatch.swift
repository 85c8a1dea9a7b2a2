package import CounterData
package import ImmutableUI

/// What the counter's views are given to say what happened.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4.
package typealias Dispatch = ActionDispatch<CounterAction>
