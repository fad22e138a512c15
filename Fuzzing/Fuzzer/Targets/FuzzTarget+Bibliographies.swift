import BibTeX
import BibTeXMerging
import FoundationEssentials

extension FuzzTarget {
    /// Bibliographies: a library is written as it was read, changes keep the rest, and the copy for the app can be
    /// read.
    static let bibliography = FuzzTarget(
        name: "bibliography", longest: 8 << 10,
        run: { data in
            let bytes = [UInt8](data)
            let document = BibTeXDocument(bytes)
            expect(document.bytes == bytes, "the file is written otherwise")
            for block in document.blocks {
                expect(
                    block.fields.allSatisfy {
                        $0.name.end <= $0.value.start && $0.value.end <= block.bytes.count
                    },
                    "a field is outside its block")
                guard let key = block.key, !block.isOpaque else { continue }
                guard let changed = block.setting("fuzzed", to: BibTeXValue("{a} } b")) else {
                    // In a damaged file a block may end elsewhere than on its own.
                    expect(document.blocks.contains(where: \.isOpaque), "a field cannot be set")
                    continue
                }
                expect(changed.value("fuzzed") != nil, "a field is not set")
                expect(changed.key == key, "the key changes with a field")
                expect(
                    changed.fields.count == block.fields.count + 1 || block.value("fuzzed") != nil,
                    "a field is lost")
                expect(changed.removing("fuzzed")?.value("fuzzed") == nil, "a field stays")
            }
            let library = BibTeXLibrary(document)
            let groups = SmartGroups(library, clock: GroupClock(now: 1_800_000_000))
            for group in document.groups { _ = groups.entries(of: group) }
            for entry in library.entries.prefix(50) {
                _ = (
                    library.title(of: entry), library.persons("author", of: entry),
                    library.publicationDate(of: entry)
                )
                _ = (library.keywords(of: entry), library.block(entry).foreignLinks)
            }
            let copy = document.forApp()
            expect(BibTeXDocument(copy.bytes).bytes == copy.bytes, "the copy is written otherwise")
            expect(copy.forApp().bytes == copy.bytes, "the copy of the copy is another")
            expect(
                String(validating: copy.bytes, as: UTF8.self) != nil || !copy.problemsForApp().isEmpty,
                "the check passes bytes that are not UTF-8")
            _ = document.problemsForApp()
        },
        seeds: { Self.libraries.map { Data($0.utf8) } })

    /// Three libraries, separated by null bytes: merging one change is the identity, and no value is lost.
    static let merge = FuzzTarget(
        name: "merge", longest: 4 << 10,
        run: { data in
            let parts = [UInt8](data).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            let base = BibTeXDocument(Array(parts[0]))
            let host = BibTeXDocument(parts.count > 1 ? Array(parts[1]) : [])
            let device = BibTeXDocument(parts.count > 2 ? Array(parts[2]) : [])
            expect(
                BibTeXMerge(base: base, host: host, device: base).document.bytes == host.bytes,
                "the host's change alone is not the result")
            expect(
                BibTeXMerge(base: base, host: host, device: host).document.bytes == host.bytes,
                "the same change is not the result")
            let merged = BibTeXMerge(base: base, host: host, device: device).document
            expect(BibTeXDocument(merged.bytes).bytes == merged.bytes, "the result is written otherwise")
            checkValues(base, host, device, merged)
            _ = BibTeXMerge(base: nil, host: host, device: device)
        },
        seeds: {
            let libraries = Self.libraries
            return libraries.flatMap { base in
                libraries.prefix(4).map {
                    Data((base + "\0" + base.replacing("a", with: "o") + "\0" + $0).utf8)
                }
            }
        })

    /// Checks that the device's change alone is the result, and that the result of both changes has every new value.
    ///
    /// This holds for libraries that can be read completely. In others a block may end elsewhere after the merge, and
    /// a letter that an encoding lacks may be written in another way.
    private static func checkValues(
        _ base: BibTeXDocument, _ host: BibTeXDocument, _ device: BibTeXDocument, _ merged: BibTeXDocument
    ) {
        let areReadable = [base, host, device].allSatisfy {
            $0.encoding == .utf8 && $0.problems(.error).isEmpty
        }
        guard areReadable else { return }
        // `crossref` follows an entry with a new key, line ends in a path are written like others, and comments
        // before deleted blocks stay.
        let changes = BibTeXMerge(base: base, host: base, device: device).report.changes.filter {
            $0.side == .device
        }
        expect(
            changes.allSatisfy { change in
                change.action == .changed
                    && change.fields.allSatisfy {
                        ["crossref", "files", "urls", "comment before it"].contains($0.name)
                    }
            }, "the device's change alone is not the result")
        let new = values(host).union(values(device)).subtracting(values(base))
        expect(new.isSubset(of: values(merged, isResult: true)), "a value is lost")
    }

    /// The texts in the fields of a library in comparable form, without keywords, which are merged one by one, and
    /// without links and `crossref`.
    ///
    /// - Parameter isResult: whether all fields of all blocks are wanted.
    private static func values(_ document: BibTeXDocument, isResult: Bool = false) -> Set<String> {
        var values: Set<String> = []
        for block in document.blocks where isResult || block.kind == .entry {
            for field in block.fields where field.isReadable {
                let name = block.name(of: field)
                let isMerged = ["keywords", "crossref"].contains(name) || name.hasPrefix("bdsk-")
                if isMerged, !isResult { continue }
                for piece in block.value(of: field).canonical().pieces {
                    switch piece {
                    case .text(let text), .number(let text): if !text.isEmpty { values.insert(text) }
                    case .macro: break
                    }
                }
            }
        }
        return values
    }

    private static let libraries: [String] = [
        "%% head\n\n@string{m = {x} # jan}\n@article{k, author = {A, B and {C}}, title = \"a {\\\"u} b\" # m, year = 1999,}\n",
        "@misc(k, bdsk-file-1 = {YnBsaXN0MDDRAQJccmVsYXRpdmVQYXRoWXBhcGVyLnBkZggLGAAAAAAAAAEBAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAAi}, crossref = {K})\n",
        "@comment{BibDesk Static Groups{\n<plist><array><dict><key>group name</key><string>G</string><key>keys</key><string>k,l</string></dict></array></plist>\n}}\n@a{k,}",
        "@comment{BibDesk Smart Groups{<plist><array><dict><key>conditions</key><array><dict><key>comparison</key><integer>4</integer><key>key</key><string>Date-Added</string><key>value</key><string>1 3</string><key>version</key><string>1</string></dict></array><key>conjunction</key><integer>0</integer><key>group name</key><string>S</string></dict></array></plist>}}@a{k, date-added = {2024-01-01}}",
        "@a{k, x = {\n@b{l, y = 1}\n@preamble{\"x\"}@comment{y}@bibdesk_info{document_info, a = {b}}\n",
        "@a{k, keywords = {a, b; c}, date-modified = {2024-01-01 00:00:00 +0200}, doi = {10.1/x}}\n@a{K, x = 1}\n",
    ]
}
