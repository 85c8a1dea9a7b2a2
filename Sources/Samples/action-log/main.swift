import ActionLogTool
import AnimalsData
import CounterData
import FoodTruckData
import PlantedBug
import QuakesData
import SampleSupport

/// The models of the guide's samples, each with a generated workload and a story.
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
    workload: { seed, count in FoodTruckWorkload(seed: seed, count: count) }
  ).projecting(CitySales.self),
  // The same day with complete tables in each action, as in the guide's walk-through.
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
  // The animals with a bug to find.
  .model(
    AnimalsWithBug.self,
    bug: BugStory(
      title: "Platypus",
      complaint:
        "A user's platypus was named 'Platypus (young)'. Now its name is 'Platypus ', and no user typed that.",
      pointer: "/animals/data/Platypus/name",
      wrong: #"/animals/data/Platypus/name == "Platypus ""#,
      right: #"/animals/data/Platypus/name == "Platypus (young)""#,
      revision: PlatypusStory.wrong,
      mark: "lost name",
      mended: AnimalsModel.name),
    history: { PlatypusStory() }),
  // The logs that the stores on a device keep of their own operations.
  .model(AnimalsStoreModel.self), .model(QuakesStoreModel.self),
]

await ActionLogTool(models: sampleModels).main()
