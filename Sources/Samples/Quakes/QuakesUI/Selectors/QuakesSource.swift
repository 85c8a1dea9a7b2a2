public import ImmutableData
public import ImmutableUI
public import QuakesData

/// What screens read: a live store of the quakes, or a place in their history.
public typealias QuakesSource = ImmutableData.Selector<QuakesState> & ImmutableData.Streamer<QuakesState, QuakesAction>
  & AnyObject

/// What screens are given to say what happened.
public typealias QuakesDispatch = ActionDispatch<QuakesAction>
