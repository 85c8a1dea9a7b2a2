import ActionLogTool
import CounterData

await ActionLogTool(
  models: [
    .model(CounterModel.self) { seed, count in CounterWorkload(seed: seed, count: count) }
  ]
).main()
