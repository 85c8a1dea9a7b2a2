import ActionLogTool
import AnimalsData
import CounterData
import FoodTruckData
import PlantedBug
import QuakesData
import SampleSupport

/// A story of a sample in the form that `demo` plays.
func story<Action>(
  named name: String? = nil, _ steps: [StoryStep<Action>], turningPoint: Int
) -> Story<Action> {
  Story(
    named: name,
    steps.map { step in .init(pause: step.pause, action: step.action, stepsSinceCause: step.stepsSinceCause) },
    turningPoint: turningPoint)
}

/// The models of the guide's samples, each with a generated workload and a story.
let sampleModels: [RegisteredModel] = [
  .model(
    AnimalsModel.self,
    // The cat gets another name.
    story: story(AnimalsWorkload.story, turningPoint: 8),
    workload: { seed, count in AnimalsWorkload(seed: seed).prefix(count) }),
  .model(
    CounterModel.self,
    story: story(CounterWorkload.story, turningPoint: 5),
    workload: { seed, count in CounterWorkload(seed: seed).prefix(count) }),
  .model(
    FoodTruckLog.self,
    // The Maple Walk gets another name, in all orders.
    story: story(FoodTruckWorkload.story, turningPoint: 13),
    // The end of an activity, whose cause is three actions earlier.
    otherStories: [story(named: "rush", FoodTruckWorkload.rush, turningPoint: 15)],
    workload: { seed, count in FoodTruckWorkload(seed: seed).prefix(count) }
  ).projecting(CitySales.self),
  // The same day with complete tables in each action, as in the guide's walk-through.
  .model(
    FoodTruckMirrorLog.self,
    story: story(FoodTruckMirrorWorkload.story, turningPoint: 15),
    workload: { seed, count in FoodTruckMirrorWorkload(seed: seed).prefix(count) }),
  .model(
    QuakesModel.self,
    // The disk is full: a deleted quake comes back.
    story: story(QuakesWorkload.story, turningPoint: 11),
    workload: { seed, count in QuakesWorkload(seed: seed).prefix(count) }),
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
