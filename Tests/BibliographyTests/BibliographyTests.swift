import BibTeX
import Foundation
import Testing

/// Real bibliographies, and the results of two other parsers. `Support/test-bibliographies` fetches them and runs
/// this suite; the variable OVERLAYHOST_BIBLIOGRAPHIES names their folder.
@Suite("Real bibliographies are read and written back")
struct BibliographyTests {
    private let folder: String

    /// The result of another parser for a file.
    struct Reading: Decodable {
        struct Entry: Decodable {
            let key: String
            let type: String
            let fields: [String: String]
        }
        let path: String
        let isClean: Bool
        let entries: [Entry]
    }

    init() throws {
        folder = try #require(
            ProcessInfo.processInfo.environment["OVERLAYHOST_BIBLIOGRAPHIES"],
            "Run Support/test-bibliographies.")
    }

    private func readings(_ parser: String) throws -> [Reading] {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(parser).json"))
        return try data.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Reading.self, from: $0)
        }
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("Every file is written as it was read")
    func lossless() throws {
        var sizes = 0
        for reading in try readings("btparse") {
            let bytes = try bytes(reading.path)
            let isSame = BibTeXDocument(bytes).bytes == bytes
            #expect(isSame, "\(reading.path)")
            sizes += bytes.count
        }
        #expect(sizes > 5_000_000)
    }

    @Test("An edit of each tenth entry changes this entry alone")
    func edits() throws {
        for reading in try readings("btparse") {
            let document = BibTeXDocument(try bytes(reading.path))
            for index in document.entryIndexes where index % 10 == 0 && !document.blocks[index].isOpaque {
                var changed = document
                let isDone = changed.change(index) { $0.setting("x-note", to: BibTeXValue("new {value}")) }
                #expect(isDone)
                guard isDone else { continue }
                let again = changed.blocks[index]
                #expect(
                    again.value("x-note") == BibTeXValue("new {value}"), "\(reading.path) \(again.key ?? "")")
                #expect(again.fields.count == document.blocks[index].fields.count + 1)
                // A key without a comma has one now.
                let isBack =
                    document.blocks[index].fields.isEmpty
                    || again.removing("x-note")?.bytes == document.blocks[index].bytes
                #expect(isBack, "\(reading.path) \(again.key ?? "")")
            }
        }
    }

    @Test(
        "The app's check agrees with btparse wherever the file is what the app asks for: ASCII names and UTF-8"
    )
    func check() throws {
        for reading in try readings("btparse") {
            let problems = BibTeXDocument(try bytes(reading.path)).problemsForApp()
            if !reading.isClean {
                #expect(!problems.isEmpty, "\(reading.path)")
                continue
            }
            // btparse 0.89 accepts letters of any language in names, and bytes that are not UTF-8; the app does not.
            let others = problems.filter {
                !$0.message.contains("ASCII") && !$0.message.contains("UTF-8") && !$0.message.contains("link")
            }
            #expect(others == [], "\(reading.path)")
        }
    }

    @Test("The entries are those of btparse and pybtex, field by field", arguments: ["btparse", "pybtex"])
    func model(parser: String) throws {
        var compared = Comparison()
        for reading in try readings(parser) {
            compared.compare(reading, BibTeXDocument(try bytes(reading.path), fallback: .windows1252), parser)
        }
        print(
            "\(parser): \(compared.entries) entries, \(compared.fields) fields; explained: \(compared.explained)"
        )
        #expect(compared.differences.prefix(20) == [])
        #expect(compared.entries > 5_000)
    }
}

/// Counts matches, and explains differences.
private struct Comparison {
    var entries = 0
    var fields = 0
    var explained: [String: Int] = [:]
    var differences: [String] = []

    mutating func compare(_ reading: BibliographyTests.Reading, _ document: BibTeXDocument, _ parser: String)
    {
        let library = BibTeXLibrary(document)
        var ours: [String: [Int]] = [:]
        for entry in library.entries { ours[library.block(entry).key ?? "", default: []].append(entry) }
        for theirs in reading.entries {
            guard var places = ours[theirs.key], !places.isEmpty else {
                explain(whyMissing(theirs, document), "\(reading.path): \(theirs.key) is missing")
                continue
            }
            // Entries with one key are distinguished by their order.
            let place = places.removeFirst()
            ours[theirs.key] = places
            compare(theirs, place, library, reading.path, parser)
        }
        for place in ours.values.flatMap({ $0 }) {
            let block = library.block(place)
            explain(
                block.isOpaque || !reading.isClean ? "damaged blocks are read as far as they go" : nil,
                "\(reading.path): \(block.key ?? "") is too much")
        }
    }

    private mutating func compare(
        _ theirs: BibliographyTests.Reading.Entry, _ place: Int, _ library: BibTeXLibrary, _ path: String,
        _ parser: String
    ) {
        let block = library.block(place)
        entries += 1
        if block.type != theirs.type {
            differences.append("\(path): \(theirs.key) is \(block.type), not \(theirs.type)")
        }
        var names = Set(block.fields.filter(\.isReadable).map(block.name))
        names.formUnion(theirs.fields.keys)
        for name in names {
            fields += 1
            let own = block.value(name).map { TextFolding.collapsed(library.macros.text($0)) }
            let other = theirs.fields[name].map { TextFolding.collapsed($0) }
            guard own ?? "" != other ?? "" else { continue }
            explain(
                why(block, name, own, other, library, parser),
                "\(path): \(theirs.key) \(name) is \(own ?? "missing"), not \(other ?? "missing")")
        }
    }

    private mutating func explain(_ reason: String?, _ difference: @autoclosure () -> String) {
        if let reason { explained[reason, default: 0] += 1 } else { differences.append(difference()) }
    }

    /// The reason why an entry of another parser is not an entry here.
    private func whyMissing(_ entry: BibliographyTests.Reading.Entry, _ document: BibTeXDocument) -> String? {
        for block in document.blocks {
            let hidden = block.kind == .comment ? block.text(block.content) : block.text(block.leading)
            if hidden.contains("{" + entry.key) || hidden.contains("(" + entry.key) {
                return "entries in comments are comments"
            }
            if block.isOpaque, block.encoding.text(block.body).contains(entry.key) {
                return "damaged blocks are read as far as they go"
            }
        }
        return entry.key.isEmpty ? "entries without a key are not records" : nil
    }

    private func why(
        _ block: BibTeXBlock, _ name: String, _ own: String?, _ other: String?, _ library: BibTeXLibrary,
        _ parser: String
    ) -> String? {
        if block.isOpaque { return "damaged blocks are read as far as they go" }
        let value = block.value(name)
        if let value, value.macroNames.contains(where: { !library.macros.defines($0) }) {
            return "macros without a definition stand for their names"
        }
        let months = Set(BibTeXMacros.months.map { $0.lowercased().prefix(3) })
        if parser == "btparse", let value,
            value.macroNames.contains(where: { months.contains($0.prefix(3)) && $0.count == 3 })
        {
            return "the names of the months are known"
        }
        if block.fields.filter({ block.name(of: $0) == name }).count > 1 {
            return "of fields with one name the last counts"
        }
        return nil
    }
}
