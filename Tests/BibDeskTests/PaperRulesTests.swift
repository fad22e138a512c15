import BibTeX
import BookFolders
import Testing

@testable import BibDesk

@Suite("Rules choose the papers that are wanted on the device")
struct PaperRulesTests {
    private func library() throws -> ReferenceLibrary {
        var document = BibTeXDocument(
            Array(
                """
                @misc{a, title = {A}, read = {yes}}
                @misc{b, title = {B}, keywords = {x}}
                @misc{c, title = {C}, read = {no}}

                """.utf8))
        document.add(["c"], toGroup: "Mine")
        return ReferenceLibrary(try #require(ShelfPath("References.bib")), file: nil, document)
    }

    private func keys(_ groups: [String], _ fields: [String]) throws -> (keys: [String], unknown: [String]) {
        let library = try library()
        let rules = PaperRules(groups: groups, fields: fields, kinds: FieldKinds())
        let choice = rules.choice(of: library, clock: GroupClock(now: 0))
        return (choice.entries.sorted().compactMap { library.resolved.block($0).key }, choice.unknownGroups)
    }

    @Test("Without a rule every paper is wanted")
    func none() throws { #expect(try keys([], []).keys == ["a", "b", "c"]) }

    @Test("Groups of any kind, and fields that say yes, select papers together")
    func union() throws {
        #expect(try keys(["Mine"], []).keys == ["c"])
        #expect(try keys(["x"], []).keys == ["b"])
        #expect(try keys([], ["Read"]).keys == ["a"])
        #expect(try keys(["Mine", "x"], ["read"]).keys == ["a", "b", "c"])
    }

    @Test("A group that does not exist chooses nothing, and is reported")
    func missing() throws {
        let choice = try keys(["Renamed", "Mine"], [])
        #expect(choice.keys == ["c"] && choice.unknown == ["Renamed"])
    }
}
