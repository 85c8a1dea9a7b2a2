import ActionLogTool
import AnimalsData
import CounterData
import FoodTruckData
import PlantedBug
import QuakesData

/// The models of the guide's samples, with made-up histories and a story for each that people use.
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
  .model(
    FoodTruckLog.self,
    story: Story(
      FoodTruckWorkload.story.map { step in .init(pause: step.pause, action: step.action) },
      // The Maple Walk gets another name, in all orders.
      turningPoint: 13),
    workload: { seed, count in FoodTruckWorkload(seed: seed, count: count) }),
  // The same day told by whole tables, as the walk-through does it.
  .model(
    FoodTruckMirrorLog.self,
    story: Story(
      FoodTruckMirrorWorkload.story.map { step in .init(pause: step.pause, action: step.action) },
      turningPoint: 15),
    workload: { seed, count in FoodTruckMirrorWorkload(seed: seed, count: count) }),
  .model(
    QuakesModel.self,
    story: Story(
      QuakesWorkload.story.map { step in .init(pause: step.pause, action: step.action) },
      // The disk is full: a deleted quake comes back.
      turningPoint: 11),
    workload: { seed, count in QuakesWorkload(seed: seed, count: count) }),
  // The animals with a bug, to be found.
  .model(
    AnimalsWithBug.self,
    bug: BugStory(
      title: "Platypus",
      complaint:
        "Somebody's platypus was called 'Platypus (young)'. Now it is called 'Platypus ', and nobody typed that.",
      pointer: "/animals/data/Platypus/name",
      wrong: #"/animals/data/Platypus/name == "Platypus ""#,
      right: #"/animals/data/Platypus/name == "Platypus (young)""#,
      revision: PlatypusStory.wrong,
      mark: "lost name",
      mended: AnimalsModel.name),
    history: { PlatypusStory() }),
  // What the stores on a device record of themselves.
  .model(AnimalsStoreModel.self), .model(QuakesStoreModel.self),
]

await ActionLogTool(models: sampleModels).main()
