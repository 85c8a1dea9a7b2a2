import ActionLogTool
import AnimalsData
import CounterData

await ActionLogTool(
  models: [
    .model(AnimalsModel.self) { seed, count in AnimalsWorkload(seed: seed, count: count) },
    .model(CounterModel.self) { seed, count in CounterWorkload(seed: seed, count: count) },
  ]
).main()
