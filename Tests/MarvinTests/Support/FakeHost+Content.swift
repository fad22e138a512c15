import Foundation
import OverlayABI
import OverlayBridge
import OverlayKit

/// Formats, archives and metadata as simply as the overlay's tests need them.
extension FakeHost {
    static func makeSniff(_ context: UnsafeMutableRawPointer) -> ovl_sniff_service {
        var table = ovl_sniff_service.sized()
        table.ctx = context
        table.sniff = { context, sources, hints, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (FakeHost.from(context), Arena())
            host.sniffedByContent = hints.map { $0.pointee.flags & OVL_SNIFF_CONTENT_ONLY != 0 } ?? false
            for (index, bytes) in host.bytes(of: sources).enumerated() {
                var format = ovl_format.sized()
                let (type, name) = FakeHost.format(bytes)
                format.media_type = arena.text(type)
                format.name = arena.text(name)
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &format, nil)
            }
            return OVL_OK
        }
        return table
    }

    static func makeFetch(_ context: UnsafeMutableRawPointer) -> ovl_fetch_service {
        var table = ovl_fetch_service.sized()
        table.ctx = context
        table.links = { context, source, sink, error in
            guard let context, let source = attempt({ try ContentSource(source.pointee) }) else {
                return OVL_CONTRACT_BROKEN
            }
            let (host, arena) = (FakeHost.from(context), Arena())
            let bytes = host.bytes(of: source)
            guard bytes.starts(with: [0x50, 0x4B]) else { return answer(.unsupportedFormat, "", error) }
            guard let names = FakeHost.zipNames(bytes) else { return answer(.damaged, "", error) }
            for (index, name) in names.enumerated() {
                var resource = ovl_resource.sized()
                resource.href = arena.text("/" + name)
                resource.length = unlimited
                resource.stored_length = unlimited
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), &resource)
            }
            return OVL_OK
        }
        return table
    }

    static func makeMetadata(_ context: UnsafeMutableRawPointer) -> ovl_metadata_service {
        var table = ovl_metadata_service.sized()
        table.ctx = context
        table.read = { context, sources, options, sink, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (FakeHost.from(context), Arena())
            for (index, bytes) in host.bytes(of: sources).enumerated() {
                host.metadataReads += 1
                guard var book = host.metadata(bytes) else {
                    _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_DAMAGED, nil, nil)
                    continue
                }
                if options & OVL_METADATA_WITH_COVERS == 0 { book.coverData = nil }
                var record = ovl_metadata.sized()
                record.book = book.record(in: arena)
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), OVL_OK, &record, nil)
            }
            return OVL_OK
        }
        return table
    }

    private func bytes(of list: UnsafePointer<ovl_list>) -> [[UInt8]] {
        let sources = attempt {
            try list.pointee.map(ovl_source.self, "sources") { source throws(OverlayError) in
                try ContentSource(source)
            }
        }
        return (sources ?? []).map(bytes(of:))
    }

    private func bytes(of source: ContentSource) -> [UInt8] {
        switch source {
        case .file(let file): lent[file.rawValue].flatMap { content($0, 0, .max) } ?? []
        case .device(_, let path): content(url(path), 0, .max) ?? []
        case .bytes(let bytes, _): bytes
        case .url: []
        }
    }

    private static func format(_ bytes: [UInt8]) -> (String?, String?) {
        if bytes.starts(with: "%PDF-".utf8) { return ("application/pdf", "PDF document") }
        guard bytes.starts(with: [0x50, 0x4B]) else { return (nil, nil) }
        let isEPUB = bytes.prefix(100).contains(0x65) && (zipNames(bytes)?.contains("mimetype") ?? false)
        return isEPUB ? ("application/epub+zip", "EPUB") : ("application/zip", "ZIP archive")
    }

    /// The names in an archive's directory; nil when it is cut off.
    private static func zipNames(_ bytes: [UInt8]) -> [String]? {
        func number(_ index: Int, _ width: Int) -> Int {
            (0..<width).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) }
        }
        let last = stride(from: bytes.count - 22, through: 0, by: -1)
        guard let end = last.first(where: { number($0, 4) == 0x0605_4B50 }) else { return nil }
        var (position, names) = (number(end + 16, 4), [String]())
        for _ in 0..<number(end + 10, 2) {
            guard position + 46 <= bytes.count else { return nil }
            let length = number(position + 28, 2)
            guard position + 46 + length <= bytes.count else { return nil }
            names.append(String(decoding: bytes[(position + 46)..<(position + 46 + length)], as: UTF8.self))
            position += 46 + length + number(position + 30, 2) + number(position + 32, 2)
        }
        return names
    }
}
