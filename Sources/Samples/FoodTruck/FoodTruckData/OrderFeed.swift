import ImmutableData
public import Observation
import Platform

/// Places an order every 3 to 8 seconds, or faster.
///
/// Its speed, and whether it is running, are local to the application and not recorded.
@MainActor @Observable
public final class OrderFeed: Sendable {
  /// The pause between two orders, in seconds, at speed 1.
  private static let pause = 3...8

  /// The available speeds, as factors.
  public nonisolated static let speeds = [1, 2, 4, 8, 16, 32, 64]

  /// Whether orders are placed.
  public private(set) var isRunning = false
  /// The current speed, as a factor.
  public private(set) var speed = 1
  /// The last error.
  public private(set) var lastError: (any Error)?

  @ObservationIgnored private var generator: SplitMix64
  @ObservationIgnored private var task: Task<Void, Never>?
  private let clock: any Clock<Duration>
  @ObservationIgnored private var placeOrderInStore: @MainActor () throws -> Void

  /// Creates a feed that is not running.
  public init(
    to store: some FoodTruckDispatcher, from source: OrderSource, seed: UInt64 = 5,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    generator = SplitMix64(seed: seed)
    self.clock = clock
    placeOrderInStore = { try source.placeOrder(in: store) }
  }

  deinit {
    task?.cancel()
  }

  /// Places the next orders in another store.
  public func place(in store: some FoodTruckDispatcher, from source: OrderSource) {
    placeOrderInStore = { try source.placeOrder(in: store) }
  }

  /// Starts to place orders.
  public func start() {
    isRunning = true
    restart()
  }

  /// Stops placing orders.
  public func pause() {
    isRunning = false
    task?.cancel()
    task = nil
  }

  /// Changes to the next speed; after the last one, to the first.
  public func changeSpeed() {
    let index = Self.speeds.firstIndex(of: speed) ?? 0
    speed = Self.speeds[(index + 1) % Self.speeds.count]
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
    do { try placeOrderInStore() } catch { lastError = error }
  }
}
