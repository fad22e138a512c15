import Archives
import FoundationEssentials

/// A resource as a byte source, for example to open the archive that it contains.
///
/// ```swift
/// let book = ArchiveFetcher(path: "/books/austen.zip").get(href: "/emma.epub")
/// let archive = try ZipArchive.open(source: ResourceByteSource(book))
/// print(archive.entries.map(\.path))
/// archive.close()  // also closes the book
/// ```
public final class ResourceByteSource: ByteSource {
    private let resource: any Resource

    /// Creates a source for `resource`, which it closes with itself.
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
            // If a resource delivers more than requested, the excess must not shift the following bytes.
            return data.count > max(0, count) ? data.part(from: 0, count: Int64(count)) : data
        case .failure(let error): throw ByteSourceError(error, subject: resource.link.href)
        }
    }

    /// Closes the resource.
    public func close() { resource.close() }
}

extension ByteSourceError {
    /// Converts the error of a resource to the error of a source. The resource's error becomes the underlying error.
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
    /// Opens the archive that a resource contains. The archive owns the resource, which is also closed if this fails.
    ///
    /// Unless the resource is a local file, reads are extended to blocks and kept, so that few requests are needed.
    public static func open(
        resource: any Resource, readAhead: ReadAhead = ReadAhead()
    ) throws(ArchiveError) -> ZipArchive {
        try open(source: ResourceByteSource(resource), readAhead: resource.file == nil ? readAhead : nil)
    }
}
