import Diagnostics
import MarvinCommands
import Platform

/// The data that the simulated Marvin reads from an EPUB file.
struct BookFile: Sendable {
    var title = ""
    var titleSort = ""
    var authors: [String] = []
    var authorSort = ""
    var language = ""
    var publisher = ""
    var description: String?
    var publicationDate: PublicationDate?
    var subjects: [String] = []
    var series = ""
    var seriesIndex: Double?
    var uuid: String?
    /// The cover image as stored in the archive; nil if the package document names none that exists.
    var cover: [UInt8]?

    private static let packageLimits = CommandFileLimits(bytes: 8 << 20, elements: 200_000, depth: 64)
    private static let largestCover = 32 << 20

    /// Reads the file.
    ///
    /// - Throws: `invalidBook`, with the reason, if it is not an EPUB.
    init(_ path: String, subject: String) throws(SimulationError) {
        let archive = try BookArchive(path, subject: subject)
        if let mimetype = try archive.read("mimetype", limit: 4096),
            String(decoding: mimetype, as: UTF8.self).trimmingXMLSpace() != "application/epub+zip"
        {
            throw SimulationError.invalidBook("it has another media type", subject: subject)
        }
        let container = try BookFile.document("META-INF/container.xml", in: archive, subject)
        guard
            let rootFile = container.first("rootfiles")?.all("rootfile").compactMap({
                $0.attributes["full-path"]
            })
            .first
        else {
            throw SimulationError.invalidBook("it does not name a package document", subject: subject)
        }
        let package = try BookFile.document(rootFile, in: archive, subject)
        readMetadata(package.first("metadata") ?? CommandFileElement("metadata"))
        if title.isEmpty { title = "Unknown" }
        if let href = BookFile.coverReference(package) {
            let folder = rootFile.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let name = BookFile.resolve(href, in: folder.map(String.init))
            cover = try archive.read(name, limit: BookFile.largestCover)
        }
    }

    private static func document(
        _ name: String, in archive: borrowing BookArchive, _ subject: String
    ) throws(SimulationError) -> CommandFileElement {
        guard let bytes = try archive.read(name, limit: packageLimits.bytes) else {
            throw SimulationError.invalidBook("\(name) is missing", subject: subject)
        }
        do {
            return try CommandFileReader(limits: packageLimits, subject: name).read(bytes)
        } catch {
            throw SimulationError(
                .invalidBook, "The file is not a valid EPUB: \(error)", subject: subject, underlying: error)
        }
    }

    private mutating func readMetadata(_ metadata: CommandFileElement) {
        func texts(_ name: String) -> [String] {
            metadata.all(name).map { BookFile.oneLine($0.text) }.filter { !$0.isEmpty }
        }
        func named(_ name: String) -> String? {
            metadata.all("meta").first { $0.attributes["name"] == name }?.attributes["content"]
        }
        title = texts("title").first ?? ""
        titleSort = named("calibre:title_sort") ?? title
        authors = texts("creator")
        let sortKeys = metadata.all("creator").compactMap { $0.attributes["file-as"] }.filter { !$0.isEmpty }
        authorSort = sortKeys.isEmpty ? authors.joined(separator: " & ") : sortKeys.joined(separator: " & ")
        language = texts("language").first ?? ""
        publisher = texts("publisher").first ?? ""
        description = metadata.all("description").map(\.trimmedText).first { !$0.isEmpty }
        publicationDate = texts("date").lazy.compactMap { PublicationDate(text: $0) }.first
        subjects = texts("subject")
        series = named("calibre:series") ?? ""
        seriesIndex = named("calibre:series_index").flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        uuid = texts("identifier").lazy.map { text in
            text.lowercased().hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : text
        }.first(where: BookFile.isUUID)
    }

    /// The cover's path relative to the package document: the item that EPUB 3 marks, or else the one that EPUB 2
    /// names.
    private static func coverReference(_ package: CommandFileElement) -> String? {
        let items = package.first("manifest")?.all("item") ?? []
        let metas = package.first("metadata")?.all("meta") ?? []
        let id = metas.first { $0.attributes["name"] == "cover" }?.attributes["content"]
        let item =
            items.first {
                $0.attributes["properties"]?.split(separator: " ").contains("cover-image") ?? false
            }
            ?? items.first { $0.attributes["id"] == id && id != nil }
        guard let item, item.attributes["media-type"]?.hasPrefix("image/") ?? false else { return nil }
        return item.attributes["href"]
    }

    /// The archive path of a percent-encoded reference; `..` never leaves the archive.
    private static func resolve(_ href: String, in folder: [String]) -> String {
        var parts = folder
        for part in href.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(PercentCoding.decoded(repairing: part))
            }
        }
        return parts.joined(separator: "/")
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether the text has the form 8-4-4-4-12 of hexadecimal digits.
    static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
    }
}
