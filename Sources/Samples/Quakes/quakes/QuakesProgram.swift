import ActionLogTool
import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import QuakesData
import QuakesUI
import QuakesWiring
import TerminalUI

/// The application: a recorded store, the listener with its two stores, and the screen.
@MainActor struct QuakesProgram {
  let context: CommandContext
  let options: ProgramOptions
  let feeds: AnyRemoteStore

  /// The texts of the screen are English, and so are its dates.
  private static let language = Locale(identifier: "en_US")

  func run() async throws -> ExitStatus {
    let folder = try await DataFolder.open(context, name: "quakes")
    let notices = QuakesNotices()
    let remarks = RecordingNotices(context)
    let localStore = LocalStore(
      path: folder.path("default.store"), configuration: remarks.watching(RecordingConfiguration()))
    _ = try await localStore.fetchLocalQuakesQuery()
    let recorder = try await Recorder<QuakesModel>.open(
      folder.path("log"), configuration: remarks.watching(RecordingConfiguration(onStatusChange: Self.tell(notices))))
    let ending: TerminalEnding
    do {
      ending = try await show(try recorder.makeStore(), localStore, notices, remarks, PlaceFile(in: folder))
    } catch {
      // What is on disk is safe; the error that counts is the one that is thrown on.
      do { try await recorder.close() } catch {}
      throw error
    }
    try await recorder.close()
    try await localStore.close()
    if case .signal = ending { ending.exitProcess() }
    return .success
  }

  private func show(
    _ store: Store<QuakesState, QuakesAction>, _ localStore: LocalStore, _ notices: QuakesNotices,
    _ remarks: RecordingNotices, _ place: PlaceFile<QuakesPlace>
  ) async throws -> TerminalEnding {
    // A process that was killed between the two logs leaves them apart: the application's counts.
    try await localStore.takeOver(store.state)
    try await fill(store, from: localStore)
    let listener = Listener(localStore: localStore, remoteStore: feeds) { error in
      Task { @MainActor in notices.tellOfFailure("\(FailureReason(error))") }
    }
    listener.listen(to: store)
    notices.listen(to: store)
    let screen = QuakesScreen(
      store, dispatch: ActionDispatch(store), notices: notices,
      surroundings: QuakesScreen.Surroundings(
        now: options.now, calendar: options.calendar, locale: Self.language, mapStyle: options.mapStyle,
        cameraClock: context.environment.outputIsTerminal ? ContinuousClock() : nil))
    if let place = await place.read() { screen.place = place }
    let ending = try await context.run(PlaceKeeper(screen, in: place) { screen.place }, holding: remarks)
    await place.finish()
    withExtendedLifetime(listener) {}
    return ending
  }

  /// Gives a state what is stored, if it has asked for that and was ended before the answer came: nobody asks twice, and
  /// at the next start the store would take over a state without it.
  private func fill(_ store: Store<QuakesState, QuakesAction>, from localStore: LocalStore) async throws {
    let status = store.select(QuakesState.selectQuakesStatus())
    guard status != nil, status != .success, store.select(QuakesState.selectQuakesCount()) == 0 else { return }
    let quakes = try await localStore.fetchLocalQuakesQuery()
    guard !quakes.isEmpty else { return }
    try store.dispatch(
      action: .data(.persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: quakes))))))
  }

  /// Tells when what happens is not recorded any more, and when it is again.
  private static func tell(_ notices: QuakesNotices) -> @Sendable (RecorderStatus.Phase) -> Void {
    { phase in
      let text = phase.failure.map { error in "not recorded: \(FailureReason(error))" }
      // The changes come one at a time, and tasks of the main actor run in the order in which they were made.
      Task { @MainActor in notices.tell(recordingFailure: text) }
    }
  }
}
