import ActionLogTesting
import AnimalsData
import AnimalsSwiftUI
import AnimalsUI
import CounterData
import CounterSwiftUI
import DebugDrawer
import EventSourcing
import FoodTruckData
import FoodTruckSwiftUI
import FoodTruckUI
import ImmutableData
import ImmutableUI
import QuakesData
import QuakesSwiftUI
import QuakesUI
import SwiftUI
import TimeTravel

// The views of the samples, drawn and tapped with the substitute for SwiftUI.

@MainActor func show(_ name: String, _ screen: Screen) {
  print("== \(name)")
  for text in screen.draw() where !text.isEmpty { print(text) }
  print("[\(screen.titles.joined(separator: "] ["))]")
}

/// Taps a button, and waits until the screen shows a text.
@MainActor func tap(_ screen: Screen, _ title: String, shows text: String) async {
  screen.draw()
  screen.tap(title)
  await screen.draw(until: text)
  print("\(title) -> \(text)")
}

let counter = Screen(
  Provider(CounterStore(Store(initialState: CounterState(), reducer: CounterModel.reducer))) {
    CounterSwiftUI.Content()
  })
show("counter", counter)
await tap(counter, "Increment", shows: "Value: 1")
await tap(counter, "Decrement", shows: "Value: 0")

struct Refusal: Error {}
let refusing = Screen(
  Provider(CounterStore(Store<CounterState, CounterAction>(initialState: CounterState()) { _, _ in throw Refusal() })) {
    CounterSwiftUI.Content()
  })
await tap(refusing, "Increment", shows: "Value: 0; Refusal()")

let recorder = try await Recorder<CounterModel>.open(at: "log", fileSystem: MemoryFileSystem())
let recorded = TimeTravelStore<CounterModel>(.store(try recorder.makeStore(), recorder: recorder))
let past = Screen(PastView(HistoryDrawer(recorded)) { CounterSwiftUI.Content() })
await tap(past, "Increment", shows: "Value: 1")
await tap(past, "Increment", shows: "Value: 2")
await tap(past, "Past", shows: "Value: 1; revision 1 of 2")
await tap(past, "Back", shows: "Value: 0; revision 0 of 2")
await tap(past, "Live", shows: "Value: 2")
try await recorded.close()

let animals = Screen(Provider(AnimalsStore(try AnimalsUI.PreviewStore.make())) { AnimalsSwiftUI.Content() })
show("animals", animals)
await tap(animals, "Mammal", shows: "Categories; Mammal; Select an animal")
show("animals", animals)
await tap(animals, "Cat", shows: "Categories; Mammal; Mammal, Carnivore")
show("animals", animals)

let quakes = Screen(
  Provider(QuakesStore(try QuakesUI.PreviewStore.make())) { QuakesSwiftUI.Content(searchDate: Quake.xxsmall.time) })
show("quakes", quakes)
let quake = "0.5 West of California"
await tap(quakes, quake, shows: "West of California; 8 earthquakes; 8 total")
await tap(quakes, "Delete Selected", shows: "Earthquakes; 7 earthquakes; 7 total")

let truck = Screen(Provider(FoodTruckStore(try FoodTruckUI.PreviewStore().store)) { FoodTruckSwiftUI.Content() })
show("food truck", truck)
await tap(truck, "Order#8 placed", shows: "Order#12; 9 open orders")
await tap(truck, "Complete Order", shows: "Order#12; 8 open orders")
await tap(truck, "Order#9 placed", shows: "Order#12; 8 open orders")
await tap(truck, "Oldest First", shows: "Order#12; 8 open orders")
show("food truck", truck)
