/// The words that workloads are made of.
enum Vocabulary {
  /// What people enter when they add an animal.
  static let species: [(name: String, diet: Animal.Diet, category: Category)] = [
    ("barn owl", .carnivorous, .bird), ("eagle", .carnivorous, .bird), ("goldfinch", .herbivorous, .bird),
    ("hooded crow", .omnivorous, .bird), ("kingfisher", .carnivorous, .bird), ("mallard", .omnivorous, .bird),
    ("ostrich", .omnivorous, .bird), ("penguin", .carnivorous, .bird), ("robin", .omnivorous, .bird),
    ("badger", .omnivorous, .mammal), ("bat", .carnivorous, .mammal), ("beaver", .herbivorous, .mammal),
    ("brown bear", .omnivorous, .mammal), ("dolphin", .carnivorous, .mammal), ("elephant", .herbivorous, .mammal),
    ("fox", .omnivorous, .mammal), ("giraffe", .herbivorous, .mammal), ("hare", .herbivorous, .mammal),
    ("hedgehog", .omnivorous, .mammal), ("lynx", .carnivorous, .mammal), ("otter", .carnivorous, .mammal),
    ("carp", .omnivorous, .fish), ("clownfish", .omnivorous, .fish), ("eel", .carnivorous, .fish),
    ("parrotfish", .herbivorous, .fish), ("pike", .carnivorous, .fish), ("seahorse", .carnivorous, .fish),
    ("chameleon", .carnivorous, .reptile), ("gecko", .omnivorous, .reptile), ("iguana", .herbivorous, .reptile),
    ("slow worm", .carnivorous, .reptile), ("tortoise", .herbivorous, .reptile), ("viper", .carnivorous, .reptile),
    ("axolotl", .carnivorous, .amphibian), ("fire salamander", .carnivorous, .amphibian),
    ("tree frog", .carnivorous, .amphibian), ("ant", .omnivorous, .invertebrate), ("bee", .herbivorous, .invertebrate),
    ("octopus", .carnivorous, .invertebrate), ("snail", .herbivorous, .invertebrate),
    ("sea urchin", .omnivorous, .invertebrate), ("stag beetle", .herbivorous, .invertebrate),
  ]

  static let adjectives = [
    "Brown", "Common", "Eastern", "Giant", "Greater", "Grey", "Lesser", "Little", "Mountain", "Northern", "Old", "Red",
    "Snow", "Southern", "Spotted", "Western", "White", "Young",
  ]

  /// What people change a name to.
  static let petNames = [
    "Alba", "Bruno", "Cleo", "Daisy", "Emil", "Flora", "Gus", "Hazel", "Ivo", "Juno", "Kiki", "Loki", "Mimi", "Nala",
    "Otto", "Pip", "Quill", "Rosa", "Sam", "Tilda", "Uma", "Vito", "Wanda", "Yuki", "Ziggy",
  ]

  /// Names that text handling likes to get wrong: other scripts, what JSON escapes, a separator that is not a line feed.
  static let awkwardNames = [
    "Zoë", "François", "Снежок", "ポチ", "小白", "🦉 Hedwig", "Łatek", "Dr. \"Fluffy\" O'Hara", "Tom/Jerry", "Back\\slash",
    "Tab\tby", "Two\u{2028}lines", "Cafe\u{301}", "😺",
  ]

  /// What a store says when it fails.
  static let storeErrors = [
    "The operation could not be completed. (AnimalsData.LocalStore.Error error 1.)",
    "The request timed out.",
    "The network connection was lost.",
    "database is locked",
  ]

  /// What a store says about a row that it does not have.
  static let missingRowError = "The operation could not be completed. (AnimalsData.LocalStore.Error error 0.)"
}
