import ActionLog
import Foundation
import Testing

@Suite("Errors of a file system")
struct FileSystemErrorTests {
  @Test func theDescriptionSaysWhatWhereAndWhy() {
    let full = FileSystemError(code: .noSpace, operation: "write", path: "log/a", errorNumber: ENOSPC)
    #expect(full.description.hasPrefix("write failed: log/a: no space is left ("))
    #expect(full.description.hasSuffix(", \(ENOSPC))"))
    let locked = FileSystemError(code: .locked, operation: "flock", path: "log", holder: 4711)
    #expect(locked.description == "flock failed: log: another writer holds the lock, process 4711")
  }

  @Test func everyCodeHasItsWords() {
    let descriptions = FileSystemError.Code.allCases.map { code in
      FileSystemError(code: code, operation: "open", path: "a").description
    }
    #expect(Set(descriptions).count == FileSystemError.Code.allCases.count)
  }
}
