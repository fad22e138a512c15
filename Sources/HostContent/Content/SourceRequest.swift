import HostContract
import OverlayABI
import Platform

/// A checked reference to a file that an overlay wants to read (`ovl_source`).
package enum SourceRequest: Sendable, Equatable {
    case device(root: UInt32, path: ExactText)
    case file(UInt64)
    case bytes([UInt8], name: ExactText?)
    case url(ExactText)

    /// The largest size of a source in memory, in bytes.
    package static let largest = 256 << 20

    package init(_ record: ovl_source) throws(ContractBreach) {
        switch record.kind {
        case OVL_SOURCE_DEVICE:
            self = .device(
                root: record.root,
                path: ExactText(try record.path.readRequired("source.path", limit: BoundaryLimits.path)))
        case OVL_SOURCE_FILE: self = .file(record.file)
        case OVL_SOURCE_BYTES:
            self = .bytes(
                try record.bytes.read("source.bytes", limit: Self.largest) ?? [],
                name: try record.path.read("source.path", limit: BoundaryLimits.path).map { ExactText($0) })
        case OVL_SOURCE_URL:
            self = .url(ExactText(try record.path.readRequired("source.path", limit: BoundaryLimits.text)))
        default: throw ContractBreach(.argument, "A source has the unknown kind \(record.kind).")
        }
    }
}
