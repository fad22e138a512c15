import HostContent
import FoundationEssentials
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import Publications

final class HostMetadataService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The service that reads the metadata in books.
    var table: ovl_metadata_service {
        var table = ovl_metadata_service.sized()
        table.ctx = pointer
        table.read = { context, sources, options, sink, error in
            HostMetadataService.serve(context, "metadata.read", error) { service throws(HostError) in
                try service.readMetadata(sources, options & OVL_METADATA_WITH_COVERS != 0, sink)
            }
        }
        return table
    }

    /// The metadata of a source.
    private struct SourceMetadata {
        var book: BookRecord
        var info: PublicationInfo
        var bytesRead: Int64
    }

    private func readMetadata(
        _ list: UnsafePointer<ovl_list>, _ withCovers: Bool, _ pointer: UnsafePointer<ovl_metadata_sink>
    ) throws(HostError) {
        let requests = try sources("metadata.read", list)
        let sink = try sink("metadata.read", pointer)
        try each(requests, "metadata.read", readsEnds: true) { content throws(HostError) in
            var info = try content.publication()
            var book = BookRecord(path: "", info)
            book.size = try content.length()
            if withCovers, let cover = info.cover {
                do throws(PublicationError) {
                    let image = [UInt8](try cover.read())
                    book.cover?.data = image
                    book.cover?.size = UInt64(image.count)
                } catch {
                    // A book without its cover is still usable.
                    book.cover = nil
                    info.shortcomings.append(
                        Shortcoming(.unreadablePart, subject: cover.href, message: error.message))
                }
            }
            return SourceMetadata(book: book, info: info, bytesRead: content.bytesRead)
        } put: { index, result in
            guard let put = sink.put else { return OVL_OK }
            switch result {
            case .success(let findings):
                let memory = Arena()
                var record = ovl_metadata.sized()
                let metadata = findings.info.metadata
                record.languages = memory.texts(metadata.languages)
                record.identifiers = memory.texts(
                    metadata.identifiers.map { identifier in
                        identifier.scheme.map { "\($0):\(identifier.value)" } ?? identifier.value
                    })
                record.shortcomings = memory.texts(findings.info.shortcomings.map(\.description))
                record.bytes_read = UInt64(max(0, findings.bytesRead))
                record.pages = UInt64(max(0, metadata.pageCount ?? 0))
                record.book = memory.book(findings.book, hasPath: false)
                return withExtendedLifetime(memory) { put(sink.ctx, UInt64(index), OVL_OK, &record, nil) }
            case .failure(let error):
                return error.lend { put(sink.ctx, UInt64(index), $0.pointee.status, nil, $0) }
            }
        }
    }
}
