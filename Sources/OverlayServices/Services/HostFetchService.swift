import FoundationEssentials
import HostContent
import HostErrors
import OverlayABI
import OverlayBridge

final class HostFetchService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The service that reads parts of publications.
    var table: ovl_fetch_service {
        var table = ovl_fetch_service.sized()
        table.ctx = pointer
        table.links = { context, source, sink, error in
            HostFetchService.serve(context, "fetch.links", error) { service throws(HostError) in
                let content = try service.keptContent(
                    try service.source("fetch.links", source), "fetch.links")
                try service.links(content, try service.sink("fetch.links", sink))
            }
        }
        table.info = { context, source, href, sink, error in
            HostFetchService.serve(context, "fetch.info", error) { service throws(HostError) in
                let content = try service.keptContent(try service.source("fetch.info", source), "fetch.info")
                let href = try service.href("fetch.info", href)
                try service.info(content, href, try service.sink("fetch.info", sink))
            }
        }
        table.read = { context, source, href, offset, length, sink, error in
            HostFetchService.serve(context, "fetch.read", error) { service throws(HostError) in
                let content = try service.keptContent(try service.source("fetch.read", source), "fetch.read")
                let href = try service.href("fetch.read", href)
                try service.read(content, href, offset, length, try service.sink("fetch.read", sink))
            }
        }
        return table
    }

    private func href(_ name: StaticString, _ pointer: UnsafePointer<ovl_text>?) throws(HostError) -> String?
    {
        guard let pointer else { return nil }
        return try text(name, pointer)
    }

    private func links(_ content: OpenContent, _ sink: ovl_resource_sink) throws(HostError) {
        for (index, resource) in try content.resources().enumerated() {
            try put(sink, index, resource, href: resource.href)
        }
    }

    private func info(_ content: OpenContent, _ href: String?, _ sink: ovl_resource_sink) throws(HostError) {
        let resource = try content.resource(at: href)
        try put(sink, 0, resource, href: href == nil ? nil : resource.href)
    }

    private func put(
        _ sink: ovl_resource_sink, _ index: Int, _ resource: ContentResource, href: String?
    ) throws(HostError) {
        guard let put = sink.put else { return }
        let memory = Arena()
        var record = ovl_resource.sized()
        record.href = memory.text(href)
        record.media_type = memory.text(resource.mediaType)
        record.length = UInt64(max(0, resource.length))
        record.stored_length = UInt64(max(0, resource.storedLength))
        let status = withExtendedLifetime(memory) { put(sink.ctx, UInt64(index), &record) }
        guard status == OVL_OK else { throw HostError.receiverStopped }
    }

    private func read(
        _ content: OpenContent, _ href: String?, _ offset: UInt64, _ length: UInt64, _ sink: ovl_bytes_sink
    ) throws(HostError) {
        guard let start = Int64(exactly: offset) else {
            throw HostError(.invalidArgument, "The byte range is invalid.", subject: href)
        }
        let (end, overflow) = start.addingReportingOverflow(Int64(clamping: length))
        try content.read(href, start..<(overflow ? .max : end)) { piece, offset, total throws(HostError) in
            if context.shouldStop { try checkRunning() }
            let status = [UInt8](piece).lend { bytes in
                sink.put?(sink.ctx, bytes, UInt64(offset), UInt64(total)) ?? OVL_OK
            }
            guard status == OVL_OK else { throw HostError.receiverStopped }
        }
    }
}
