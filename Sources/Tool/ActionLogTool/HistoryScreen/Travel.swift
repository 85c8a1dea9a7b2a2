import Platform

/// Where a person wants to go.
enum Destination: Sendable, Equatable {
  case revision(Int)
  /// Wherever that is when somebody looks.
  case end
  /// A point as it was typed.
  case point(String)
}

/// A way that is being gone on another thread.
struct Travel: Sendable {
  /// What is known on the way.
  struct News: Sendable {
    /// The revision that is meant; `nil` while it is looked up.
    var target: Int?
    /// How far the fold is; `nil` before the first news of it.
    var reached: Int?
  }

  /// Tells apart the ways of one screen.
  let number: Int
  let destination: Destination
  var news: News
  /// Set when nobody wants to go there any more.
  let isUnwanted = Locked(false)
}

/// A question that is being answered on another thread.
struct Errand: Sendable {
  /// Tells apart the questions of one screen.
  let number: Int
  /// What is asked, for the person who waits.
  let text: String
  /// How far the answer is; `nil` where that is not known.
  var reached: Int?
  /// Set when nobody wants the answer any more.
  let isUnwanted = Locked(false)
}
