import ActionLogTool
import AnimalsData
import CounterData

/// The models of the guide's samples, with made-up histories and a story each.
let sampleModels: [RegisteredModel] = [
  .model(
    AnimalsModel.self,
    story: Story(
      AnimalsWorkload.story.map { step in .init(pause: step.pause, action: step.action) },
      // The cat gets another name.
      turningPoint: 8),
    workload: { seed, count in AnimalsWorkload(seed: seed, count: count) }),
  .model(
    CounterModel.self,
    story: Story(
      CounterWorkload.story.map { step in .init(pause: step.pause, action: step.action) },
      turningPoint: 5),
    workload: { seed, count in CounterWorkload(seed: seed, count: count) }),
]
