import OverlayABI
import OverlayBridge

extension ContentSource {
    /// Copies a record.
    package init(_ record: ovl_source) throws(OverlayError) {
        switch record.kind {
        case OVL_SOURCE_DEVICE:
            self = .device(Root(rawValue: record.root), try record.path.required("source.path"))
        case OVL_SOURCE_FILE: self = .file(HostFile(rawValue: record.file))
        case OVL_SOURCE_BYTES:
            self = .bytes(
                try record.bytes.array("source.bytes") ?? [], name: try record.path.string("source.path"))
        case OVL_SOURCE_URL: self = .url(try record.path.required("source.path"))
        default: throw .contractBroken("A source of the unknown kind \(record.kind) was passed.")
        }
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_source {
        var record = ovl_source.sized()
        switch self {
        case .device(let root, let path):
            record.kind = OVL_SOURCE_DEVICE
            record.root = root.rawValue
            record.path = arena.text(path)
        case .file(let file):
            record.kind = OVL_SOURCE_FILE
            record.file = file.rawValue
        case .bytes(let bytes, let name):
            record.kind = OVL_SOURCE_BYTES
            record.bytes = arena.bytes(bytes)
            record.path = arena.text(name)
        case .url(let url):
            record.kind = OVL_SOURCE_URL
            record.path = arena.text(url)
        }
        return record
    }
}

extension SniffHints {
    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_sniff_hints {
        var record = ovl_sniff_hints.sized()
        record.flags =
            (defaultFormatsOnly ? OVL_SNIFF_DEFAULT_FORMATS : 0) | (contentOnly ? OVL_SNIFF_CONTENT_ONLY : 0)
        record.media_types = arena.texts(mediaTypes)
        record.extensions = arena.texts(extensions)
        return record
    }
}

extension SniffResult {
    /// Copies a record.
    package init(_ record: ovl_format) throws(OverlayError) {
        self.init(
            mediaType: try record.media_type.string("format.media_type"),
            name: try record.name.string("format.name"),
            fileExtension: try record.extension.string("format.extension"),
            sniffer: try record.sniffer.string("format.sniffer"), round: Round(rawValue: record.round),
            bytesRead: record.bytes_read)
    }
}

extension FormatSniffer {
    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_sniffer {
        var record = ovl_sniffer.sized()
        record.media_type = arena.text(mediaType)
        record.name = arena.text(name)
        record.extension = arena.text(fileExtension)
        record.extensions = arena.texts(extensions)
        record.media_types = arena.texts(mediaTypes)
        record.rules = arena.list(rules) { $0.record(in: arena) }
        return record
    }
}

extension FormatSniffer.Rule {
    /// Creates a record with views into `arena`.
    func record(in arena: Arena) -> ovl_sniff_rule {
        var record = ovl_sniff_rule.sized()
        switch self {
        case .magic(let bytes, let offset):
            record.kind = OVL_RULE_MAGIC
            record.offset = offset
            record.bytes = arena.bytes(bytes)
        case .xmlRoot(let name, let namespace):
            record.kind = OVL_RULE_XML_ROOT
            record.name = arena.text(name)
            record.value = arena.text(namespace)
        case .jsonMember(let name, let value):
            record.kind = OVL_RULE_JSON_MEMBER
            record.name = arena.text(name)
            record.value = arena.text(value)
        case .zipEntry(let name, let beginning):
            record.kind = OVL_RULE_ZIP_ENTRY
            record.name = arena.text(name)
            record.bytes = arena.bytes(beginning)
        }
        return record
    }
}

extension ResourceInfo {
    /// Copies a record.
    package init(_ record: ovl_resource) throws(OverlayError) {
        self.init(
            href: try record.href.string("resource.href"),
            mediaType: try record.media_type.string("resource.media_type"),
            length: record.length == .max ? nil : record.length,
            storedLength: record.stored_length == .max ? nil : record.stored_length)
    }
}

extension BookMetadata {
    /// Copies a record.
    package init(_ record: ovl_metadata) throws(OverlayError) {
        self.init(
            book: try Book(nestedIn: record, at: MemoryLayout<ovl_metadata>.offset(of: \.book)),
            languages: try record.languages.strings("metadata.languages") ?? [],
            identifiers: try record.identifiers.strings("metadata.identifiers") ?? [],
            shortcomings: try record.shortcomings.strings("metadata.shortcomings") ?? [],
            pages: record.pages == 0 ? nil : record.pages, bytesRead: record.bytes_read)
    }
}
