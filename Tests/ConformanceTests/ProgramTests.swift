import Foundation
import TestSupport
import Testing

@Suite("The command check reports on an overlay")
struct ProgramTests {
    private func run(_ arguments: String...) throws -> ProgramResult {
        try runProgram(
            try buildProductsFolder().appendingPathComponent("overlayhost").path, ["check"] + arguments)
    }

    @Test("The command ends with 0 for an overlay that conforms")
    func conforms() throws {
        let folder = try Mutant.privateFolder()
        try Mutant.compile("Base", to: folder.path("base.so"))
        let result = try run(folder.path("base.so"), "--rule", "loading", "--rule", "rows")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("Base 1.0.0 follows the selected rules: 18 passed"))
    }

    @Test("The command ends with 1 for an overlay that breaks a rule, and writes JUnit on request")
    func breaks() throws {
        let folder = try Mutant.privateFolder()
        try Mutant.compile("descriptor/id", to: folder.path("bad.so"))
        let result = try run(folder.path("bad.so"), "--junit", folder.path("report.xml"))
        #expect(result.status == 1)
        #expect(result.output.contains("FAIL  descriptor/id"), "\(result.output)")
        #expect(
            try String(contentsOfFile: folder.path("report.xml"), encoding: .utf8).contains("descriptor/id"))
    }

    @Test("The command ends with 66 for a missing file, and with 64 for a pattern without rules")
    func wrong() throws {
        #expect(try run("/nowhere/at/all.so").status == 66)
        #expect(try run("x.so", "--rule", "rows/twice").status == 64)
        #expect(try run().status == 64)
    }
}
