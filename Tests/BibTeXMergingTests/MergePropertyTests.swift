import BibTeX
import BibTeXMerging
import Foundation
import TestSupport
import Testing

/// Random libraries with few keys and values, so that changes collide.
private struct RandomLibrary {
    var random: SeededGenerator

    struct Entry {
        var key: String
        var type: String
        var fields: [(String, String)]
        var files: [String]
        /// A comment before it; empty if there is none.
        var comment = ""
        /// A macro between the comment and the entry.
        var macro: (name: String, value: String)?
    }

    struct Content {
        var entries: [Entry] = []
        var macros: [(String, String)] = []
        var groups: [(String, [String])] = []
        var comments: [String] = []

        var text: String {
            var text = "% head\n"
            for (name, value) in macros { text += "@string{\(name) = {\(value)}}\n" }
            for comment in comments { text += "@comment{\(comment)}\n" }
            for entry in entries {
                let files = entry.files.enumerated().map { ("bdsk-file-\($0.offset + 1)", "{\($0.element)}") }
                let fields = (entry.fields + files).map { ",\n\t\($0.0) = \($0.1)" }.joined()
                if !entry.comment.isEmpty { text += "\n% \(entry.comment)\n" }
                if let macro = entry.macro { text += "@string{\(macro.name) = {\(macro.value)}}\n" }
                text += "\n@\(entry.type){\(entry.key)\(fields.isEmpty ? "," : fields)}\n"
            }
            return text + GroupText.fixed(groups.map { ($0.0, $0.1.joined(separator: ",")) })
        }
    }

    mutating func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    /// A unique value, so that its loss is noticed.
    mutating func unique() -> String { "v\(UInt32.random(in: 0...UInt32.max, using: &random))" }

    mutating func entry(_ key: String) -> Entry {
        var entry = Entry(key: key, type: pick(["article", "book"]), fields: [], files: [])
        for name in ["title", "author", "year", "keywords", "note", "journal"] where chance(2) {
            entry.fields.append((name, value(name)))
        }
        if chance(2) {
            entry.fields.append(
                ("date-modified", "{2024-01-0\(Int.random(in: 1...5, using: &random)) 00:00:00 +0000}"))
        }
        if chance(3) {
            let second = Int.random(in: 10..<60, using: &random)
            entry.fields.append(("date-added", "{2024-02-01 00:00:\(second) +0000}"))
        }
        if chance(3) { entry.files = [unique() + ".pdf"] }
        if chance(3) { entry.comment = unique() }
        return entry
    }

    mutating func value(_ name: String) -> String {
        switch name {
        case "keywords":
            "{"
                + (0..<Int.random(in: 1...3, using: &random))
                .map { _ in pick(["", "{\\\"u}", "\\'{e}"]) + unique() }
                .joined(separator: pick([", ", "; "])) + "}"
        case "journal": pick(["m1", "m2", "{\(unique())}"])
        case "year": "\(Int.random(in: 1000...9999, using: &random))"
        default: "{\(pick(["", "", "", "ü", "日"]))\(unique())}"
        }
    }

    mutating func library() -> Content {
        var content = Content()
        for key in ["a", "b", "c", "d"] where chance(2) { content.entries.append(entry(key)) }
        // Some keys occur twice.
        if chance(4) { content.entries.append(entry(pick(["a", "b"]))) }
        for macro in ["m1", "m2"] where !chance(3) { content.macros.append((macro, unique())) }
        for group in ["G", "H"] where chance(2) {
            content.groups.append((group, ["a", "b", "c", "d"].filter { _ in chance(2) }))
        }
        if chance(3) { content.comments.append(unique()) }
        return content
    }

    /// A library with a few changes.
    mutating func changed(_ old: Content) -> Content {
        var content = old
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            switch Int.random(in: 0..<13, using: &random) {
            case 0:
                if let place = content.entries.indices.randomElement(using: &random) {
                    content.entries.remove(at: place)
                }
            case 1:
                let key = pick(["a", "b", "c", "d", "e", "f"])
                if !content.entries.contains(where: { $0.key == key }) { content.entries.append(entry(key)) }
            case 2, 3, 4:
                guard let place = content.entries.indices.randomElement(using: &random) else { continue }
                let name = pick(["title", "author", "year", "keywords", "note"])
                content.entries[place].fields.removeAll { $0.0 == name }
                if !chance(4) { content.entries[place].fields.append((name, value(name))) }
            case 5:
                if let place = content.entries.indices.randomElement(using: &random) {
                    content.entries[place].files.append(unique() + ".pdf")
                }
            case 6:
                if let place = content.groups.indices.randomElement(using: &random) {
                    if chance(2) {
                        content.groups[place].1.append(pick(["a", "b", "e"]))
                    } else {
                        content.groups[place].1 = []
                    }
                    content.groups[place].1 = Array(Set(content.groups[place].1)).sorted()
                } else {
                    content.groups.append(("N", ["a"]))
                }
            case 7:
                if let place = content.macros.indices.randomElement(using: &random) {
                    content.macros[place].1 = unique()
                }
            case 8, 9:
                guard let place = content.entries.indices.randomElement(using: &random)
                else { continue }
                content.entries[place].comment = chance(3) ? "" : unique()
            case 10:
                guard let place = content.entries.indices.randomElement(using: &random) else { continue }
                let name = "n\(UInt32.random(in: 0...UInt32.max, using: &random))"
                content.entries[place].macro = (name, unique())
            case 11:
                // The key is given to another work.
                guard let place = content.entries.indices.randomElement(using: &random) else { continue }
                content.entries[place] = entry(content.entries[place].key)
            default: if chance(2) { content.comments = [] } else { content.comments.append(unique()) }
            }
        }
        return content
    }

    /// All new keys by the old ones.
    static func allRenames(_ old: Content, _ new: Content) -> [String: String] {
        let changed = zip(old.entries, new.entries).filter { $0.key != $1.key }
        return Dictionary(changed.map { ($0.key, $1.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// The old and new keys of entries that can be identified only by their content.
    static func renames(_ old: Content, _ new: Content) -> [String: String] {
        func content(_ entry: Entry) -> String {
            let fields = entry.fields.filter { !$0.0.hasPrefix("date-") }.map { "\($0.0) = \($0.1)" }
            return (fields.sorted() + entry.files).joined(separator: ",")
        }
        let contents = Dictionary(grouping: old.entries, by: content)
        let changed = zip(old.entries, new.entries).filter {
            $0.key != $1.key && !content($0).isEmpty && contents[content($0)]?.count == 1
        }
        return Dictionary(changed.map { ($0.key, $1.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// A library with other keys for some entries.
    mutating func renamed(_ old: Content) -> Content {
        var content = old
        for place in content.entries.indices where chance(2) {
            let (old, new) = (content.entries[place].key, "r\(place)")
            content.entries[place].key = new
            for group in content.groups.indices {
                content.groups[group].1 = content.groups[group].1.map { $0 == old ? new : $0 }
            }
        }
        return content
    }
}

@Suite("Every merge keeps its properties")
struct MergePropertyTests {
    /// The number of libraries; `make test-long` sets more.
    private static let rounds =
        ProcessInfo.processInfo.environment["OVERLAYHOST_MERGES"].flatMap { Int($0) } ?? 120

    /// Values of a library that occur in only one place: texts of fields, macros, comments and linked paths.
    private static func values(_ document: BibTeXDocument) -> Set<String> {
        let words = document.bytes.split { !($0 == UInt8(ascii: "v") || ($0 >= 0x30 && $0 <= 0x39)) }
        return Set(
            words.filter { $0.count > 1 && $0.first == UInt8(ascii: "v") }.map {
                String(decoding: $0, as: UTF8.self)
            })
    }

    /// The same library in Latin 1, without the letters that it lacks.
    private static func inLatin1(_ document: BibTeXDocument) -> BibTeXDocument {
        let text = "% é\n" + String(decoding: document.bytes, as: UTF8.self)
        let bytes = text.unicodeScalars.filter { $0.value < 0x100 }.map { UInt8($0.value) }
        return BibTeXDocument(bytes, fallback: .latin1)
    }

    private func hasKey(_ key: String, _ document: BibTeXDocument) -> Bool {
        document.blocks.contains { $0.key?.lowercased() == key.lowercased() }
    }

    private func hasTwins(_ document: BibTeXDocument) -> Bool {
        let keys = document.blocks.compactMap { $0.key?.lowercased() }
        return Set(keys).count < keys.count
    }

    /// Members of groups that no side removed while it had the entry, and that the result has but does not list.
    private func lostMembers(
        _ base: BibTeXDocument, _ host: BibTeXDocument, _ device: BibTeXDocument, _ merged: BibTeXMerge
    ) -> [String] {
        func lists(_ document: BibTeXDocument, _ group: BibTeXGroup, _ key: String) -> Bool {
            document.groups.contains { $0.name == group.name && $0.keys.contains(key) }
        }
        return base.groups.flatMap { group in
            group.keys.filter { key in
                hasKey(key, merged.document) && merged.document.groups.contains { $0.name == group.name }
                    && [host, device].allSatisfy { lists($0, group, key) || !hasKey(key, $0) }
                    && !lists(merged.document, group, key)
            }
        }
    }

    @Test(
        "Merging with no change, one change or the same change gives the changed document", arguments: 0..<4)
    func identities(quarter: Int) {
        var made = RandomLibrary(random: SeededGenerator(seed: 100 + UInt64(quarter)))
        for round in 0..<(Self.rounds / 4) {
            let content = made.library()
            let base = library(content.text)
            let other = library(made.changed(content).text)
            let fromDevice = BibTeXMerge(base: base, host: base, device: other)
            #expect(Meaning(fromDevice.document) == Meaning(other), "round \(round)")
            #expect(fromDevice.report.conflicts == [], "round \(round)")
            for device in [base, base.forApp(), other, other.forApp()] {
                let isHost =
                    BibTeXMerge(base: base, host: other, device: device).document.bytes == other.bytes
                #expect(isHost, "round \(round)")
            }
        }
    }

    @Test("No value that one side changed is lost, and the sides may be exchanged", arguments: 0..<4)
    func losses(quarter: Int) {
        var made = RandomLibrary(random: SeededGenerator(seed: 200 + UInt64(quarter)))
        for round in 0..<(Self.rounds / 4) {
            let content = made.library()
            let base = library(content.text)
            let host = library(made.changed(content).text)
            let device = library(made.changed(content).text)
            let merged = BibTeXMerge(base: base, host: host, device: device)
            let areAlone = ![base, host, device].contains(where: hasTwins)
            let old = Self.values(base)
            let result = Self.values(merged.document)
            let new = Self.values(host).union(Self.values(device)).subtracting(old)
            let kept = old.intersection(Self.values(host)).intersection(Self.values(device))
            // The tombstone has the text of a deleted entry.
            #expect(new.isSubset(of: result), "round \(round): \(new.subtracting(result))")
            #expect(kept.isSubset(of: result), "round \(round): \(kept.subtracting(result))")
            let mirrored = BibTeXMerge(base: base, host: device, device: host)
            let differences = Self.values(mirrored.document).symmetricDifference(result)
            // The host's version of indistinguishable entries stays.
            let isAmbiguous = merged.report.conflicts.contains { $0.subject == .ambiguousKey }
            // A comment that one side removed may stay if the other side changed its surroundings.
            let comments = Self.values(library(content.entries.map(\.comment).joined(separator: " ")))
            #expect(
                differences.subtracting(isAmbiguous ? old : []).subtracting(comments) == [], "round \(round)")
            if areAlone { #expect(!hasTwins(merged.document), "round \(round)") }
            let lostMembers = lostMembers(base, host, device, merged)
            #expect(lostMembers == [], "round \(round)")
            func keys(_ merge: BibTeXMerge) -> Set<String> {
                Set(merge.report.conflicts.filter { $0.subject != .text }.map(\.key))
            }
            #expect(keys(mirrored) == keys(merged), "round \(round)")
            // A host's file in another encoding does not lose anything either.
            let latin = Self.inLatin1(host)
            let narrow = BibTeXMerge(base: base, host: latin, device: device)
            let lost = new.union(kept).subtracting(Self.values(narrow.document))
            #expect(lost == [], "round \(round)")
            // Deletions that are held back stay on their side, and lose nothing.
            let held = BibTeXMerge(base: base, host: host, device: device, deletes: false)
            if areAlone {
                let buried = held.report.tombstones.map(\.key)
                #expect(buried.filter { hasKey($0, host) || hasKey($0, device) } == [], "round \(round)")
            }
            #expect(kept.union(new).isSubset(of: Self.values(held.agreed)), "round \(round)")
            let sent = held.deviceDocument.forApp()
            let next = BibTeXMerge(base: held.agreed, host: held.document, device: sent, deletes: false)
            let isHeld =
                next.document.bytes == held.document.bytes
                && next.deviceDocument.forApp().bytes == sent.bytes
                && next.report.heldBack.count == held.report.heldBack.count
            #expect(isHeld, "round \(round)")
            let released = BibTeXMerge(base: held.agreed, host: held.document, device: sent)
            // An agreed entry whose key has another work keeps the key only while its deletion is held back.
            if areAlone, held.report.conflicts.map(\.subject) == merged.report.conflicts.map(\.subject) {
                let isSame = Meaning(released.document).entries == Meaning(merged.document).entries
                #expect(isSame, "round \(round)")
            }
            // The merged result is stable.
            let again = BibTeXMerge(
                base: merged.document, host: merged.document, device: merged.document.forApp())
            let isStable = again.document.bytes == merged.document.bytes
            #expect(isStable, "round \(round)")
            #expect(merged.document.forApp().problemsForApp() == [], "round \(round)")
        }
    }

    @Test("Changed keys on one side and any change on the other lose nothing", arguments: 0..<4)
    func renames(quarter: Int) {
        var made = RandomLibrary(random: SeededGenerator(seed: 300 + UInt64(quarter)))
        for round in 0..<(Self.rounds / 4) {
            let content = made.library()
            let base = library(content.text)
            let renamed = made.renamed(content)
            let (one, other) = (library(renamed.text), library(made.changed(content).text))
            for (host, device) in [(one, other), (other, one)] {
                let merged = BibTeXMerge(base: base, host: host, device: device)
                // An entry whose key the other side gave to another work is not the renamed one.
                let isReused = merged.report.conflicts.contains { $0.subject == .twoEntries }
                if !hasTwins(base), !isReused {
                    let found = merged.report.renamed
                    let missed = RandomLibrary.renames(content, renamed).filter { found[$0.key] != $0.value }
                    #expect(missed == [:], "round \(round)")
                    let wrong = found.filter {
                        RandomLibrary.allRenames(content, renamed)[$0.key] != $0.value
                    }
                    #expect(wrong == [:], "round \(round)")
                }
                let result = Self.values(merged.document)
                let new = Self.values(other).subtracting(Self.values(base))
                #expect(new.isSubset(of: result), "round \(round): \(new.subtracting(result))")
                let kept = Self.values(base).intersection(Self.values(other))
                #expect(kept.isSubset(of: result), "round \(round): \(kept.subtracting(result))")
                let again = BibTeXMerge(
                    base: merged.document, host: merged.document, device: merged.document.forApp())
                let isStable = again.document.bytes == merged.document.bytes
                #expect(isStable, "round \(round)")
            }
        }
    }
}
