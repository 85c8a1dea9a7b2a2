import ActionLog
import AnimalsData

/// A type, a line feed, and the data of an action of the animals.
struct FuzzedAction {
  let type: String
  let data: [UInt8]

  init(_ input: [UInt8]) {
    let end = input.firstIndex(of: 10) ?? input.endIndex
    type = String(decoding: input[..<end], as: UTF8.self)
    data = Array(input[end...].dropFirst())
  }

  /// Checks that generated code decodes the same action as `Codable`, and that it survives a round trip.
  func check() throws(FuzzFlaw) {
    let direct = ActionCoder<AnimalsAction>()
    let codable = ActionCoder<AnimalsAction>.codable
    let action = FuzzFlaw.accepted { try direct.decode(type: type, data: data[...]) }
    let expected = FuzzFlaw.accepted { try codable.decode(type: type, data: data[...]) }
    try FuzzFlaw.unless(action == expected, "generated code reads another action than Codable")
    guard let action else { return }
    let form = try FuzzFlaw.never("not written") { try direct.encode(action) }
    let plain = try FuzzFlaw.never("not written by way of Codable") { try codable.encode(action) }
    try FuzzFlaw.unless(form == plain, "generated code writes something else than Codable")
    let again = try FuzzFlaw.never("written as no action") { try direct.decode(type: form.type, data: form.data[...]) }
    try FuzzFlaw.unless(again == action, "written as another action")
  }
}
