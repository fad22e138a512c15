import OverlayLoading
import Synchronization
import Formats
import HostContent
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge

final class HostSniffService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The service that recognizes formats.
    var table: ovl_sniff_service {
        var table = ovl_sniff_service.sized()
        table.ctx = pointer
        table.sniff = { context, sources, hints, sink, error in
            HostSniffService.serve(context, "sniff.sniff", error) { service throws(HostError) in
                try service.sniff(sources, hints, sink)
            }
        }
        table.register_sniffer = { context, sniffer, error in
            HostSniffService.serve(context, "sniff.register_sniffer", error) { service throws(HostError) in
                try service.register(sniffer)
            }
        }
        return table
    }

    private func sniff(
        _ list: UnsafePointer<ovl_list>, _ hints: UnsafePointer<ovl_sniff_hints>?,
        _ pointer: UnsafePointer<ovl_format_sink>
    ) throws(HostError) {
        let requests = try sources("sniff.sniff", list)
        let hints = try self.hints("sniff.sniff", hints)
        let sink = try sink("sniff.sniff", pointer)
        try each(requests, "sniff.sniff") { content throws(HostError) in
            guard hints.contentOnly else { return try content.explainFormat(hints) }
            let report = content.explainContent(hints)
            if report.format == nil, let error = report.readError { throw HostError(error) }
            return report
        } put: { index, result in
            guard let put = sink.put else { return OVL_OK }
            switch result {
            case .success(let report):
                let memory = Arena()
                var record = memory.format(report)
                return withExtendedLifetime(memory) { put(sink.ctx, UInt64(index), OVL_OK, &record, nil) }
            case .failure(let error):
                return error.lend { put(sink.ctx, UInt64(index), $0.pointee.status, nil, $0) }
            }
        }
    }

    private func register(_ pointer: UnsafePointer<ovl_sniffer>) throws(HostError) {
        let sniffer: OverlaySniffer
        do throws(ContractBreach) {
            sniffer = try OverlaySniffer(try ovl_sniffer.read(pointer), owner: context.overlay.id)
        } catch {
            throw HostError(.invalidArgument, "Cannot register the sniffer: \(error.message)")
        }
        try context.sniffers.entries.withLock { sniffers throws(HostError) in
            guard !sniffers.contains(where: { $0.format == sniffer.format }) else {
                throw HostError(
                    .alreadyExists, "A sniffer for this format is already registered.",
                    subject: sniffer.format.mediaType.string)
            }
            guard sniffers.count < OverlaySniffer.most else {
                throw HostError(
                    .busy, "An overlay can register at most \(OverlaySniffer.most) sniffers.",
                    subject: sniffer.format.mediaType.string)
            }
            sniffers.append(sniffer)
        }
    }
}

extension Arena {
    /// The contract's record of a format and of the way it was recognized.
    fileprivate func format(_ report: GuessReport) -> ovl_format {
        var record = ovl_format.sized()
        record.media_type = text(report.format?.mediaType.string)
        record.name = text(report.format?.name)
        record.extension = text(report.format?.fileExtension)
        record.sniffer = text(report.sniffer)
        record.round =
            switch report.round {
            case .light: OVL_ROUND_LIGHT
            case .heavy: OVL_ROUND_HEAVY
            case nil: OVL_ROUND_NONE
            }
        record.bytes_read = UInt64(max(0, report.bytesRead))
        return record
    }
}
