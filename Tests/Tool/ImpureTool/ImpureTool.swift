import ActionLogTool
import EventSourcing
import Foundation

/// A tool with faulty models, for tests of `replay --verify`. One model can be paused, for tests of what the user can do during a
/// fold, and one traps or hangs, for tests of `each`.
///
/// With `CHANGED_SINCE` in its environment it is a later version of the tool: the reducer of `sorting` has changed.
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
        .model(FragileModel.self) { seed, count in FragileModel.workload(seed: seed, count: count) },
      ]
    ).main()
  }

  /// The actions for every model: twelve guests arrive, they sit down, and one more comes late.
  private static func registered<M: PartyModel>(_ model: M.Type) -> RegisteredModel {
    .model(model) { _, count in
      let early = (1...12).map { number in PartyAction.didArrive(name: "guest \(number)") }
      return Array((early + [.didSitDown, .didArrive(name: "somebody")]).prefix(count))
    }
  }
}
