public import ImmutableData
public import Observation

/// Customers who come by themselves: places an order every 3 to 8 seconds, or faster.
///
/// Whether it runs and how fast is local to the application: no action and no log holds it.
@MainActor @Observable
public final class OrderFeed: Sendable {
  /// How long customers keep away, in seconds, at speed 1.
  private static let pause = 3...8

  /// The speeds that people can choose from: how many times faster than at first.
  public nonisolated static let speeds = [1, 2, 4, 8, 16, 32, 64]

  /// Whether orders come.
  public private(set) var isRunning = false
  /// How many times faster than at first.
  public private(set) var speed = 1
  /// What went wrong last.
  public private(set) var lastError: (any Error)?

  @ObservationIgnored private var generator: SeededRandomGenerator
  @ObservationIgnored private var task: Task<Void, Never>?
  private let clock: any Clock<Duration>
  private let place: @MainActor () throws -> Void

  /// Makes a feed that does not run yet.
  ///
  /// - Parameters:
  ///   - store: The store in which orders are placed.
  ///   - source: Where they come from.
  ///   - seed: Decides how long customers keep away.
  ///   - clock: What waits.
  public init<Store>(
    to store: Store, from source: OrderSource, seed: UInt64 = 5, clock: any Clock<Duration> = ContinuousClock()
  ) where Store: Dispatcher<FoodTruckState, FoodTruckAction> & ImmutableData.Selector<FoodTruckState> {
    generator = SeededRandomGenerator(seed: seed)
    self.clock = clock
    place = { try source.placeOrder(in: store) }
  }

  deinit {
    task?.cancel()
  }

  /// Lets customers come.
  public func start() {
    isRunning = true
    restart()
  }

  /// Keeps customers away.
  public func pause() {
    isRunning = false
    task?.cancel()
    task = nil
  }

  /// Goes over to the next speed, and from the last one to the first.
  public func changeSpeed() {
    let place = Self.speeds.firstIndex(of: speed) ?? 0
    speed = Self.speeds[(place + 1) % Self.speeds.count]
    if isRunning { restart() }
  }

  private func restart() {
    task?.cancel()
    task = Task { [weak self, clock] in
      while let pause = self?.nextPause() {
        do { try await clock.sleep(for: pause) } catch { return }
        if Task.isCancelled { return }
        self?.placeOrder()
      }
    }
  }

  private func nextPause() -> Duration {
    generator.seconds(in: Self.pause) / speed
  }

  private func placeOrder() {
    do { try place() } catch { lastError = error }
  }
}
