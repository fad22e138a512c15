import Formats
import Archives
import FoundationEssentials
import JSON
import Markup

/// A package document next to a publication that describes it, such as the `metadata.opf` that calibre writes.
public struct PackageFile: Sendable {
    /// A custom column of a calibre library, with its value for the book.
    public struct UserColumn: Sendable, Equatable {
        /// The name that formulas in calibre use, such as `#mm_locked`.
        public var lookupName: String
        /// The heading that the user interface of calibre shows.
        public var heading: String
        /// The type of the column in calibre: `text`, `enumeration`, `bool`, `int`, `float`, `series`, `rating`,
        /// `comments`, …
        public var type: String
        /// The value; `null` if the book has none.
        public var value: JSONValue

        /// Creates a column with a value.
        public init(lookupName: String, heading: String, type: String, value: JSONValue) {
            self.lookupName = lookupName
            self.heading = heading
            self.type = type
            self.value = value
        }
    }

    /// The metadata that the document states about the publication.
    public var metadata: PublicationMetadata
    /// The reference to the cover file as written in the document, relative to the document's folder.
    public var coverReference: String?
    /// The custom columns of the calibre library, each once, in document order.
    public var userColumns: [UserColumn]
    /// What could not be read.
    public var shortcomings: [Shortcoming]

    /// Reads a package document: the same fields that `EPUBReader` reads, and calibre's columns.
    ///
    /// Blocks while reading; may be called from any thread.
    /// - Throws: `tooLarge`, `unreadable`, or `unsupportedFormat` if it is not a package document.
    public static func read(
        from source: any ByteSource, name: String? = nil
    ) throws(PublicationError) -> PackageFile {
        let input = PublicationInput(source: source, name: name, format: .epub)
        let limits = PublicationArchive.documentLimits
        let length = try input.length()
        guard length <= Int64(limits.bytes) else {
            throw PublicationError(.tooLarge, "It is larger than \(limits.bytes) bytes.", subject: name)
        }
        let bytes = try input.bytes(at: 0, count: Int(length))
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(MarkupError) in try MarkupReader(limits: limits).read(raw) }
        }
        let document: MarkupDocument
        do throws(MarkupError) {
            document = try result.get()
        } catch {
            throw PublicationError(
                .unsupportedFormat, "It is not a package document: \(error.message)", subject: name,
                underlying: error)
        }
        guard document.root.firstAnywhere("package") != nil || document.root.name == "package" else {
            throw PublicationError(.unsupportedFormat, "It is not a package document.", subject: name)
        }
        let package = PackageDocument(document.root, path: name ?? "")
        let reader = PackageMetadataReader(package)
        var file = PackageFile(
            metadata: reader.metadata(), coverReference: coverReference(in: package), userColumns: [],
            shortcomings: reader.shortcomings)
        if let fault = document.fault {
            file.shortcomings.append(
                Shortcoming(
                    .damagedPart, subject: name ?? "", message: "It is not well-formed: \(fault.text)."))
        }
        file.readColumns(of: package)
        return file
    }

    /// The largest number of columns that are read.
    private static let mostColumns = 1000
    private static let columnPrefix = "calibre:user_metadata"

    /// The cover in the guide, which calibre writes, or else the item that is marked as the cover.
    private static func coverReference(in package: PackageDocument) -> String? {
        let guide = package.guide.first { $0["type"]?.trimmingSpace().lowercased() == "cover" }?["href"]
        let named = package.metas("cover").lazy.compactMap { PackageDocument.value(of: $0) }
            .compactMap { package.item(id: $0)?.href }.first
        let marked = package.items.first { $0.has("cover-image") }?.href
        guard let reference = guide ?? named ?? marked, !reference.trimmingSpace().isEmpty else { return nil }
        return reference.trimmingSpace()
    }

    /// Version 2 stores one `meta` element for each column; version 3 stores one for all of them.
    private mutating func readColumns(of package: PackageDocument) {
        for meta in package.fields where meta.name == "meta" && userColumns.count < Self.mostColumns {
            let name = (meta["name"] ?? meta["property"] ?? "").trimmingSpace()
            guard name.hasPrefix(Self.columnPrefix) else { continue }
            let rest = name.dropFirst(Self.columnPrefix.count)
            let text = meta["content"] ?? meta.deepText
            let value: JSONValue
            do throws(JSONSyntaxError) {
                value = try JSONValue(parsing: text, rules: .lenient)
            } catch {
                shortcomings.append(
                    Shortcoming(.badValue, subject: name, message: "The column is not JSON."))
                continue
            }
            if rest.hasPrefix(":") {
                add(String(rest.dropFirst()), value)
            } else if rest.isEmpty, let columns = value.object {
                for column in columns.members.prefix(Self.mostColumns) { add(column.name, column.value) }
            }
        }
    }

    private mutating func add(_ lookupName: String, _ value: JSONValue) {
        guard !lookupName.isEmpty, let column = value.object,
            !userColumns.contains(where: { $0.lookupName == lookupName })
        else { return }
        userColumns.append(
            UserColumn(
                lookupName: lookupName, heading: column["name"]?.string ?? "",
                type: column["datatype"]?.string ?? "", value: column["#value#"] ?? .null))
    }
}
