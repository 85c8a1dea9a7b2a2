extension QuakesAction {
  /// What the data layer tells. Inside this type's extensions the name hides `Foundation.Data`.
  public enum Data: Hashable, Codable, Sendable {
    /// The session that talks to both stores.
    case persistentSession(_ action: PersistentSession)
  }
}

extension QuakesAction.Data {
  /// Results of operations on the stores.
  public enum PersistentSession: Hashable, Codable, Sendable {
    /// The store on this device.
    case localStore(_ action: LocalStore)
    /// The feeds.
    case remoteStore(_ action: RemoteStore)
  }
}

extension QuakesAction.Data.PersistentSession {
  /// What the store on this device tells.
  public enum LocalStore: Hashable, Codable, Sendable {
    /// All stored quakes were asked for.
    case didFetchQuakes(result: FetchQuakesResult)
    /// A deletion that the state had already shown failed: the quakes are still stored.
    ///
    /// The guide names this roll-back as missing. The action carries what the deletion had removed, because the reducer
    /// cannot know it any more, and why it failed.
    case didFailToDeleteQuakes(quakes: [Quake], reason: FailureReason)
  }

  /// What the feeds tell.
  public enum RemoteStore: Hashable, Codable, Sendable {
    /// A feed was asked for.
    case didFetchQuakes(result: FetchQuakesResult)
  }
}

// One result type per operation, not `Swift.Result`: an error is a text here, because it has to be stored and compared.

extension QuakesAction.Data.PersistentSession.LocalStore {
  /// The outcome of fetching what is stored.
  public enum FetchQuakesResult: Hashable, Codable, Sendable {
    /// All quakes of the store.
    case success(quakes: [Quake])
    /// Nothing was fetched.
    case failure(error: String)
  }
}

extension QuakesAction.Data.PersistentSession.RemoteStore {
  /// The outcome of fetching a feed.
  public enum FetchQuakesResult: Hashable, Codable, Sendable {
    /// All quakes of the feed, in its order. One that was withdrawn has no magnitude above 0.
    case success(quakes: [Quake])
    /// Nothing was fetched.
    case failure(error: String)
  }
}
