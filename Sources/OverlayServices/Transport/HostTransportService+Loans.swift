import DeviceTransport
import Glibc
import HostErrors
import OverlayABI
import Platform

extension HostTransportService {
    func addLoans(to table: inout ovl_transport_service) {
        table.local_info = { context, file, sink, error in
            HostTransportService.serve(context, "transport.local_info", error) { service throws(HostError) in
                try service.requireTransport("transport.local_info")
                let loan = try service.context.loans.loan(file)
                let sink = FileSink(try service.sink("transport.local_info", sink))
                try sink.put(
                    0, loan.name,
                    .success(.init(kind: .file, size: loan.identity.size, modified: loan.identity.modified)))
            }
        }
        table.local_read = { context, file, offset, length, sink, error in
            HostTransportService.serve(context, "transport.local_read", error) { service throws(HostError) in
                try service.requireTransport("transport.local_read")
                try service.readLocal(try service.context.loans.loan(file), offset, length, sink)
            }
        }
    }

    /// The number of bytes that are passed together.
    private static let chunk = 256 << 10

    private func readLocal(
        _ loan: FileLoans.Loan, _ offset: UInt64, _ length: UInt64, _ pointer: UnsafePointer<ovl_bytes_sink>
    ) throws(HostError) {
        let sink = try sink("transport.local_read", pointer)
        let size = loan.identity.size
        guard offset <= size else {
            throw HostError(
                .invalidArgument, "The range begins after the end of the file.", subject: loan.name)
        }
        guard let file = FileDescriptor(opening: loan.path, O_RDONLY | O_NONBLOCK) else {
            throw HostError(
                .hostIO, "Cannot open the file: \(systemText(errno)).", subject: loan.name,
                native: .posix(errno))
        }
        let descriptor = file.number
        guard LocalIdentity(descriptor: descriptor) == loan.identity else { throw loan.changed }
        let total = min(length, size - offset)
        var buffer = [UInt8](repeating: 0, count: Int(min(total, UInt64(Self.chunk))))
        var done: UInt64 = 0
        while done < total {
            if context.shouldStop { try checkRunning() }
            let wanted = Int(min(UInt64(buffer.count), total - done))
            let count = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, wanted, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw count == 0
                    ? loan.changed
                    : HostError(
                        .hostIO, "Cannot read the file: \(systemText(errno)).", subject: loan.name,
                        native: .posix(errno))
            }
            let status = buffer.withUnsafeBufferPointer { bytes in
                guard let put = sink.put else { return OVL_OK }
                return withUnsafePointer(to: ovl_bytes(data: bytes.baseAddress, size: UInt64(count))) {
                    put(sink.ctx, $0, done, total)
                }
            }
            guard status == OVL_OK else { throw HostError.receiverStopped }
            done += UInt64(count)
        }
    }
}
