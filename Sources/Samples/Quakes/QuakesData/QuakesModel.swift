package import ActionLog
public import EventSourcing
import JSONCoding
import TreeCollections

/// The model of the quakes sample, which replays a ``QuakesState`` from a log.
///
/// Deletions are optimistic: they are shown before the store has performed them. If the store fails, a compensating
/// action restores the quakes that are still stored. The guide notes that it lacks this rollback.
///
/// Every rule of the reducer checks before it writes, so a refused action leaves the state unchanged in place as well.
public enum QuakesModel: Model {
  /// The model name in logs.
  public static let name = "quakes"
  /// The schema version of ``QuakesAction``.
  public static let schema = 1
  /// An empty table that was never fetched.
  public static let initialState = QuakesState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds `action` into `state`.
  ///
  /// - Throws: An error with the message "quake not found" if the quake to delete does not exist; `state` is then
  ///   unchanged.
  public static func reduce(into state: inout QuakesState, action: QuakesAction) throws {
    switch action {
    case .ui(.quakeList(.onAppear)):
      if state.quakes.status == nil { state.quakes.status = .waiting }
    case .ui(.quakeList(.onTapRefreshQuakesButton)):
      if state.quakes.status != .waiting { state.quakes.status = .waiting }
    case .ui(.quakeList(.onTapDeleteSelectedQuakeButton(let quakeId))):
      guard state.quakes.data[quakeId] != nil else { throw Error(quakeId: quakeId) }
      state.quakes.data[quakeId] = nil
    case .ui(.quakeList(.onTapDeleteAllQuakesButton)):
      state.quakes.data = [:]
    case .data(.persistentSession(.localStore(.didFetchQuakes(.success(let quakes))))):
      for quake in quakes { state.quakes.data[quake.id] = quake }
      state.quakes.status = .success
    case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, reason: _)))):
      // A quake that a feed has added since then is newer than the deleted one.
      for quake in quakes where state.quakes.data[quake.id] == nil { state.quakes.data[quake.id] = quake }
    case .data(.persistentSession(.remoteStore(.didFetchQuakes(.success(let quakes))))):
      // A feed withdraws a quake by removing its magnitude.
      for quake in quakes { state.quakes.data[quake.id] = quake.magnitude > 0 ? quake : nil }
      state.quakes.status = .success
    case .data(.persistentSession(.localStore(.didFetchQuakes(.failure(let error))))),
      .data(.persistentSession(.remoteStore(.didFetchQuakes(.failure(let error))))):
      state.quakes.status = .failure(error: error)
    }
  }
}

extension QuakesModel {
  /// An action was refused because it names a quake that does not exist.
  package struct Error: DescribedError, Equatable {
    package enum Code: String, Sendable {
      case quakeNotFound
    }

    package let quakeId: Quake.ID

    package init(quakeId: Quake.ID) {
      self.quakeId = quakeId
    }

    package var code: Code { .quakeNotFound }
    package var message: String { "quake not found: there is no quake with the id '\(quakeId)'" }
    package var location: ErrorLocation { ErrorLocation(pointer: JSONPointer(["quakes", "data", quakeId])) }
    package var intact: String? { "The state is unchanged." }
    /// The message, which names the location.
    package var headline: String { message }
  }
}
