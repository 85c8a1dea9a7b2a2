import ActionLogTool
import EventSourcing
import Foundation

/// What `replay --verify` is tried on: a tool whose models are not all as they should be. One of them can be held, for tests of what
/// a person can do meanwhile.
///
/// With `CHANGED_SINCE` in its environment it is the same tool some months later: the reducer of `sorting` was changed.
@main
struct ImpureTool {
  static func main() async {
    let isLater = ProcessInfo.processInfo.environment["CHANGED_SINCE"] != nil
    await ActionLogTool(
      name: "impure-tool",
      models: [
        registered(WalkingModel.self), registered(TimingModel.self), registered(DrawingModel.self),
        isLater ? registered(ReversedModel.self) : registered(SortingModel.self),
        .model(GatedModel.self) { _, count in Array(repeating: .didTick, count: count) },
      ]
    ).main()
  }

  /// Every model is tried on the same actions: twelve guests arrive, they sit down, and somebody comes late.
  private static func registered<M: PartyModel>(_ model: M.Type) -> RegisteredModel {
    .model(model) { _, count in
      let early = (1...12).map { number in PartyAction.didArrive(name: "guest \(number)") }
      return Array((early + [.didSitDown, .didArrive(name: "somebody")]).prefix(count))
    }
  }
}
