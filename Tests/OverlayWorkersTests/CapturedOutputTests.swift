import Testing

@testable import OverlayWorkers

@Suite("The output of an overlay before its crash is kept")
struct CapturedOutputTests {
    private func words(_ pieces: [String]) -> String? {
        var output = CapturedOutput()
        for piece in pieces { output.add(Array(piece.utf8)[...]) }
        return output.words
    }

    @Test("Few lines are reported whole, in any pieces")
    func whole() {
        #expect(words([]) == nil)
        #expect(words(["one\ntw", "o\n"]) == "one\ntwo")
        #expect(words(["\u{1B}[31mred\u{7}"]) == "[31mred")
    }

    @Test("The first lines of many, which name the cause, and the last are reported")
    func many() throws {
        let lines = (0..<60).map { "frame \($0)" }
        let told = try #require(words(["Fatal error: nil\n" + lines.joined(separator: "\n")]))
            .split(separator: "\n")
        #expect(told.first == "Fatal error: nil")
        #expect(told.last == "frame 59")
        #expect(told.count == 13)
        #expect(told.contains("…"))
    }

    @Test("Of a large output only the beginning and the end are kept")
    func flood() throws {
        let told = try #require(words(["cause\n"] + (0..<5000).map { "line \($0)\n" }))
        #expect(told.hasPrefix("cause\nline 0\n"))
        #expect(told.hasSuffix("line 4999"))
        #expect(told.utf8.count < 300)
        // One endless line, in arbitrary pieces.
        let long = try #require(words([String(repeating: "é", count: 100_000)]))
        #expect(long.utf8.count < CapturedOutput.kept.first + CapturedOutput.kept.last + 20)
    }
}
