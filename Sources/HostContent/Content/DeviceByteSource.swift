import Archives
import DeviceTransport
import FoundationEssentials
import Publications
import Synchronization

/// A file on the device as a byte source. It is read in ranges, and never copied as a whole.
///
/// The first access reads its length and both of its ends in two round trips; any other range needs two more.
package final class DeviceByteSource: ByteSource {
    /// The sizes for reading ahead in a file with this path: blocks of the size in which PDF files are read, and from
    /// the end as much as their reader first reads. Most other books are archives, whose last 48 kB contain the
    /// directory, and often the document with the metadata if it is not at the beginning.
    package static func readAhead(of path: String) -> ReadAhead {
        var settings = ReadAhead()
        settings.block = PDFInput.blockBytes
        // The end that a reader of PDF files asks for begins with a block.
        let isPDF = path.suffix(4).lowercased() == ".pdf"
        settings.tail = isPDF ? PDFInput.tailBytes + PDFInput.blockBytes : 48 << 10
        return settings
    }

    private let files: any FileAccess
    private let path: String
    private let context: @Sendable () -> OperationContext
    private let size = Mutex<Int64?>(nil)
    /// The ends, if they were read together with those of other files, until they are used.
    private let prepared: Mutex<Result<FileEnds, TransportError>?>

    /// - Parameters:
    ///   - prepared: the ends of the file, read with `ends(of:)`; nil if they were not read yet.
    ///   - context: returns the limits for the next operation on the device, and is called before each.
    package init(
        _ files: any FileAccess, _ path: String, prepared: Result<FileEnds, TransportError>? = nil,
        _ context: @escaping @Sendable () -> OperationContext
    ) {
        self.files = files
        self.path = path
        self.context = context
        self.prepared = Mutex(prepared)
    }

    /// Reads the ends of many files, in the order of their paths.
    package static func ends(
        of paths: [String], _ files: any FileAccess, _ context: OperationContext
    ) -> [Result<FileEnds, TransportError>] {
        let settings = paths.map { readAhead(of: $0) }
        var results: [Int: Result<FileEnds, TransportError>] = [:]
        for (tail, places) in Dictionary(grouping: paths.indices, by: { settings[$0].tail }) {
            let found = files.readEnds(
                places.map { paths[$0] }, head: settings[places[0]].block, tail: tail, context)
            for (place, result) in zip(places, found) { results[place] = result }
        }
        return paths.indices.map {
            results[$0] ?? .failure(TransportError(.notFound, "The file was not read.", subject: paths[$0]))
        }
    }

    /// Reads both ends and the length.
    package func ends(head: Int, tail: Int) throws(ByteSourceError) -> SourceEnds? {
        let usual = Self.readAhead(of: path)
        let isUsual = head == usual.block && tail == usual.tail
        let known = isUsual ? prepared.withLock { $0.take() } : nil
        let result = known ?? files.readEnds([path], head: head, tail: tail, context()).first
        switch result {
        case .success(let found):
            guard let length = Int64(exactly: found.status.size) else {
                throw ByteSourceError(.notFound, "This is not a regular file.", subject: path)
            }
            size.withLock { $0 = length }
            return SourceEnds(length: length, head: Data(found.head), tail: Data(found.tail))
        case .failure(let error): throw ByteSourceError(error, subject: path)
        case nil: throw ByteSourceError(.other, "The device did not answer.", subject: path)
        }
    }

    /// The length. Requested from the device once.
    package var length: Int64 {
        get throws(ByteSourceError) {
            if let size = size.withLock({ $0 }) { return size }
            let answer = files.statMany([path], context()).first
            switch answer {
            case .success(let status):
                guard status.kind == .file, let size = Int64(exactly: status.size) else {
                    throw ByteSourceError(.notFound, "This is not a regular file.", subject: path)
                }
                self.size.withLock { $0 = size }
                return size
            case .failure(let error): throw ByteSourceError(error, subject: path)
            case nil: throw ByteSourceError(.other, "The device did not answer.", subject: path)
            }
        }
    }

    /// Reads a range in one sequence of requests.
    package func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let start = max(0, offset)
        let available = max(0, try length - start)
        let wanted = Int(clamping: min(Int64(max(0, count)), available))
        guard wanted > 0 else { return Data() }
        var data = Data(capacity: wanted)
        do throws(TransportError) {
            try files.read(path, range: UInt64(start)..<UInt64(start) + UInt64(wanted), context()) {
                data.append(contentsOf: $0)
            }
        } catch {
            throw ByteSourceError(error, subject: path)
        }
        return data
    }

    /// Does nothing, because the file is not kept open between reads.
    package func close() {}
}

extension ByteSourceError {
    /// Creates the error of a source on the device. The transport's error is kept as the underlying one.
    fileprivate init(_ error: TransportError, subject: String) {
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .cancelled, .timedOut: .cancelled
            default: .unavailable
            }
        self.init(code, error.message, subject: subject, hint: error.hint, underlying: error)
    }
}
