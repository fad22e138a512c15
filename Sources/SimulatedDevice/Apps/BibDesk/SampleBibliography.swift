import BibTeX
import FoundationEssentials

/// The sample library of a new simulated BibDesk: some references, three of them with papers, and groups of all
/// kinds.
struct SampleBibliography {
    private static let dropboxFolder = "/Papers"

    /// The bytes of the library.
    static var library: [UInt8] {
        var document = BibTeXDocument(
            Array(
                """
                %% This BibTeX bibliography file was created using BibDesk.
                %% https://bibdesk.sourceforge.io/


                %% Saved with string encoding Unicode (UTF-8) 

                """.utf8))
        document.add(Array("@string{jgen = {Journal of General Reading}}".utf8))
        for entry in entries {
            document.add(document.entry(type: entry.type, key: entry.key, fields: entry.fields))
        }
        document.add(["Babbage:1832aa", "Lovelace:1843aa"], toGroup: "Engines")
        document.add(Array(otherGroups.utf8))
        return document.bytes
    }

    private struct Entry {
        let type: String
        let key: String
        let fields: [(name: String, value: BibTeXValue)]
    }

    private static func entry(
        _ type: String, _ key: String, _ fields: [(String, String)], papers: [String] = []
    )
        -> Entry
    {
        let links = papers.enumerated().map { ("bdsk-file-\($0 + 1)", FileLink(path: $1).value) }
        return Entry(
            type: type, key: key,
            fields: (fields + links).map { (name: $0.0, value: BibTeXValue($0.1)) })
    }

    private static var entries: [Entry] {
        [
            entry(
                "article", "Lovelace:1843aa",
                [
                    ("author", "Lovelace, Ada"), ("title", "Notes on the {Analytical Engine}"),
                    ("year", "1843"),
                    ("journal", "Scientific Memoirs"), ("keywords", "computing; engines"),
                    ("doi", "10.1000/notes"), ("rating", "5"), ("date-added", "2024-02-03 10:00:00 +0000"),
                ], papers: ["Engines/Notes.pdf", "Engines/Appendix.pdf"]),
            entry(
                "book", "Babbage:1832aa",
                [
                    ("author", #"Babbage, Charles and M{\"u}ller, J{\"o}rg"#),
                    ("title", "On the Economy of Machinery"), ("publisher", "Knight"), ("year", "1832"),
                    ("keywords", "engines"), ("date-added", "2024-02-04 10:00:00 +0000"),
                ], papers: ["Economy.pdf"]),
            entry(
                "inproceedings", "Austen:1813aa",
                [
                    ("author", "Austen, Jane"), ("title", "First Impressions"), ("year", "1813"),
                    ("month", "1"), ("abstract", "On judging early."),
                ], papers: ["Novels/Impressions.pdf"]),
            entry("misc", "Nobody:2001aa", [("title", "A Reference without a Paper"), ("year", "2001")]),
        ]
    }

    private static let otherGroups = """
        @comment{BibDesk Smart Groups{
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>
        <dict>
        <key>conditions</key>
        <array>
        <dict>
        <key>comparison</key><integer>2</integer>
        <key>key</key><string>Author</string>
        <key>value</key><string>Austen</string>
        <key>version</key><string>1</string>
        </dict>
        </array>
        <key>conjunction</key><integer>0</integer>
        <key>group name</key><string>By Austen</string>
        </dict>
        </array>
        </plist>
        }}
        """

    /// Fills a new app. The last paper is missing on the device.
    static func fill(_ app: SimulatedBibDesk) throws {
        let isNested = app.container.generation == .linkedFiles
        if isNested { try app.setDropboxFolder(dropboxFolder) }
        try app.add(library, named: "References.bib")
        for (path, title) in [
            ("Engines/Notes.pdf", "Notes on the Analytical Engine"), ("Engines/Appendix.pdf", "Appendix"),
            ("Economy.pdf", "On the Economy of Machinery"),
        ] {
            let paper = SimulatedPDF(title: title, author: "A. Author", pages: 4, size: 40_000).bytes()
            let name = path.split(separator: "/").last.map(String.init) ?? path
            try app.add(paper, at: isNested ? "Papers/" + path : name)
        }
    }
}
