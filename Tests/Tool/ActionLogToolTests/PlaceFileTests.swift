import ActionLog
import ActionLogTesting
import ActionLogTool
import TestSupport
import Testing

@Suite("The file of a place") struct PlaceFileTests {
  private struct Place: Codable, Equatable, Sendable {
    var row = 0
    var name: String?
  }

  private let disk = MemoryFileSystem()

  private func file(_ files: (any LogFileSystem)? = nil) -> PlaceFile<Place> {
    PlaceFile("place.json", fileSystem: files ?? disk)
  }

  @Test("the last place of a burst is the one that is read")
  func burst() async {
    #expect(await file().read() == nil)
    let first = file()
    for row in 1...500 { first.keep(Place(row: row, name: "row \(row)")) }
    await first.finish()
    #expect(await file().read() == Place(row: 500, name: "row 500"))
  }

  @Test("an unchanged place is not written again")
  func unchanged() async {
    let watched = FaultyFileSystem(disk)
    let first = file(watched)
    for _ in 1...10 { first.keep(Place(row: 7)) }
    await first.finish()
    let second = file(watched)
    #expect(await second.read() == Place(row: 7))
    second.keep(Place(row: 7))
    await second.finish()
    #expect(watched.count(of: .rename) == 1)
  }

  @Test("whichever call fails, the file has the old or the new place")
  func faults() async {
    let first = file()
    first.keep(Place(row: 1))
    await first.finish()
    var failures = 0
    for number in 1...100 {
      let faulty = FaultyFileSystem(disk.copy(), faults: [FileFault(number: number)])
      let second = file(faulty)
      second.keep(Place(row: 2, name: String(repeating: "x", count: 100)))
      await second.finish()
      let row = await file(faulty.base).read()?.row
      #expect(row == 1 || row == 2)
      if row == 1 { failures += 1 }
      if faulty.firedCount == 0 { break }
    }
    #expect(failures > 2)
  }

  @Test("a place is written once the disk accepts it again")
  func full() async {
    let faulty = FaultyFileSystem(disk, faults: [FileFault(.rename, code: .noSpace)])
    let file = file(faulty)
    file.keep(Place(row: 4))
    await file.finish()
    #expect(await self.file().read() == nil)
    faulty.heal()
    file.keep(Place(row: 4))
    await file.finish()
    #expect(await self.file().read() == Place(row: 4))
  }

  @Test("an invalid place is ignored", arguments: ["", "{", "[1]", #"{"row":"a"}"#])
  func rubbish(text: String) async throws {
    let file = try disk.open("place.json", for: .create)
    try Array(text.utf8).withUnsafeBytes { bytes in try file.append(bytes) }
    file.close()
    let place = self.file()
    #expect(await place.read() == nil)
    place.keep(Place(row: 3))
    await place.finish()
    #expect(await self.file().read() == Place(row: 3))
  }
}
