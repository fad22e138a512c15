import Archives
import FoundationEssentials

/// A resource as a source of bytes, for example to open the archive it holds.
public final class ResourceByteSource: ByteSource {
    private let resource: any Resource

    /// Reads `resource`, which it closes with itself.
    public init(_ resource: any Resource) { self.resource = resource }

    /// The resource's length.
    public var length: Int64 {
        get throws(ByteSourceError) {
            switch resource.length {
            case .success(let length): return length
            case .failure(let error): throw ByteSourceError(error, subject: resource.link.href)
            }
        }
    }

    /// Reads a range of the resource.
    public func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let start = max(0, offset)
        let (end, overflow) = start.addingReportingOverflow(Int64(max(0, count)))
        switch resource.read(range: start..<(overflow ? .max : end)) {
        case .success(let data):
            // A resource that delivers more than was asked for must not shift what follows.
            return data.count > max(0, count) ? data.part(from: 0, count: Int64(count)) : data
        case .failure(let error): throw ByteSourceError(error, subject: resource.link.href)
        }
    }

    /// Closes the resource.
    public func close() { resource.close() }
}

extension ByteSourceError {
    /// The error of a source below which a resource failed; the resource's error is kept as the underlying one.
    init(_ error: ResourceError, subject: String) {
        let code: Code =
            switch error {
            case .notFound: .notFound
            case .forbidden: .forbidden
            case .unavailable: .unavailable
            case .cancelled: .cancelled
            case .badRequest, .other: .other
            }
        self.init(code, error.description, subject: subject, underlying: error)
    }
}

extension ZipArchive {
    /// Opens the archive that a resource holds, which the archive owns from now on and closes also when this fails.
    ///
    /// Unless the resource is a local file, reads are widened to blocks and kept, so that few requests suffice.
    public static func open(
        resource: any Resource, readAhead: ReadAhead = ReadAhead()
    ) throws(ArchiveError) -> ZipArchive {
        try open(source: ResourceByteSource(resource), readAhead: resource.file == nil ? readAhead : nil)
    }
}
