import OverlayABI
import OverlayBridge
import OverlayKit
import OverlayKitTesting

/// Simple archives for the overlay's tests.
extension MarvinTestHost {
    /// The service that lists the content of an archive.
    static func makeFetch(_ context: UnsafeMutableRawPointer) -> ovl_fetch_service {
        var table = ovl_fetch_service.sized()
        table.ctx = context
        table.links = { context, source, sink, error in
            guard let context, let source = attempt({ try ContentSource(source.pointee) }) else {
                return OVL_CONTRACT_BROKEN
            }
            let host = Unmanaged<MarvinTestHost>.fromOpaque(context).takeUnretainedValue()
            let bytes = host.bytes(of: source)
            guard bytes.starts(with: [0x50, 0x4B]) else { return refuse(.unsupportedFormat, error) }
            guard let names = MarvinTestHost.zipNames(bytes) else { return refuse(.damaged, error) }
            let arena = Arena()
            for (index, name) in names.enumerated() {
                var resource = ovl_resource.sized()
                resource.href = arena.text("/" + name)
                resource.length = .max
                resource.stored_length = .max
                _ = sink.pointee.put?(sink.pointee.ctx, UInt64(index), &resource)
            }
            return OVL_OK
        }
        return table
    }

    private func bytes(of source: ContentSource) -> [UInt8] {
        switch source {
        case .file(let file): lent[file.rawValue]?.bytes ?? []
        case .device(_, let path): bytes(of: path, 0, .max) ?? []
        case .bytes(let bytes, _): bytes
        case .url: []
        }
    }

    /// The names in an archive's directory; nil if it is cut off.
    static func zipNames(_ bytes: [UInt8]) -> [String]? {
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

private func refuse(_ status: OverlayStatus, _ error: UnsafePointer<ovl_error_sink>?) -> ovl_status {
    if let error { OverlayError(status, "The fake device says \(status).").put(into: error) }
    return status.rawValue
}
