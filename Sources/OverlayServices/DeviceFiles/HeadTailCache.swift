import Archives
import HostContent
import DeviceTransport

/// The beginnings and ends of files from which an overlay reads parts before it requests their metadata.
///
/// Each part of a file that an overlay reads costs requests, and so do the beginning and end of the file, which
/// contain the metadata. Reading them while the file is open serves both. They are used once, and not after the
/// overlay has changed something. Valid during one method, on its thread.
struct HeadTailCache {
    /// The largest number of bytes that are kept at the same time. Others are read when needed.
    static let mostBytes = 24 << 20

    private struct File: Hashable {
        let root: UInt32
        let path: String
    }

    private var held: [File: FileEnds] = [:]
    private var bytes = 0

    /// The beginning and end of a file, if they were read with its other parts.
    mutating func take(_ path: String, in root: UInt32) -> FileEnds? {
        guard let ends = held.removeValue(forKey: File(root: root, path: path)) else { return nil }
        bytes -= ends.head.count + ends.tail.count
        return ends
    }

    /// Keeps the beginning and end of a file until they are needed.
    fileprivate mutating func keep(_ ends: FileEnds, of path: String, in root: UInt32) {
        _ = take(path, in: root)
        held[File(root: root, path: path)] = ends
        bytes += ends.head.count + ends.tail.count
    }

    fileprivate var room: Int { Self.mostBytes - bytes }
}

/// The reads for the parts of files that an overlay requests, combined with the beginnings and ends of files whose
/// metadata follows.
struct CoalescedReads {
    /// A request of the overlay.
    struct Part {
        var request: FileReadRequest
        /// Whether the part ends at the end of the file, and the file's metadata is requested next.
        var precedesMetadata: Bool
    }

    /// The bytes for a request of the overlay.
    private struct Piece {
        var index: Int
        /// The position in the bytes that are read.
        var start: Int
        var count: Int
    }

    private struct Ends {
        var path: String
        var size: UInt64
        /// The indexes of the reads of the beginning and the end, which are the same for a short file.
        var reads: [Int]
        /// The bytes of each read.
        var bytes: [Int: [UInt8]] = [:]
    }

    /// The requests for the device.
    private(set) var reads: [FileReadRequest] = []
    private var pieces: [[Piece]] = []
    private var ends: [Ends] = []
    /// The index in `ends` for a read.
    private var owners: [Int: Int] = [:]
    private let root: UInt32

    /// Plans the reads for the parts that an overlay requests. A file's beginning and end are included only while
    /// `kept` has room for them.
    init(_ parts: [Part], in root: UInt32, _ kept: HeadTailCache) {
        self.root = root
        var room = kept.room
        for group in Self.groups(parts) {
            if let size = Self.size(group), let path = group.first?.request.path,
                Self.length(size, path) <= room
            {
                room -= Self.length(size, path)
                widen(group, path, size)
            } else {
                for (index, part) in zip(group.indices, group) { read(part.request, for: index) }
            }
        }
    }

    /// The parts, grouped by file.
    static func groups(_ parts: [Part]) -> [ArraySlice<Part>] {
        var groups: [ArraySlice<Part>] = []
        var first = 0
        while first < parts.count {
            let path = parts[first].request.path
            let next = parts[first...].firstIndex { $0.request.path != path } ?? parts.count
            groups.append(parts[first..<next])
            first = next
        }
        return groups
    }

    /// The size of a file if the overlay requests its metadata after these parts; otherwise nil.
    static func size(_ group: ArraySlice<Part>) -> UInt64? {
        guard let last = group.last, last.precedesMetadata,
            group.allSatisfy({ $0.request.range != nil && !$0.request.once })
        else { return nil }
        return last.request.range?.upperBound
    }

    /// The number of bytes of beginning and end together.
    private static func length(_ size: UInt64, _ path: String) -> Int {
        let usual = DeviceByteSource.readAhead(of: path)
        return Int(min(size, UInt64(usual.block + usual.tail)))
    }

    private mutating func read(_ request: FileReadRequest, for index: Int) {
        reads.append(request)
        let count = request.range.map { Int(clamping: $0.upperBound - $0.lowerBound) } ?? .max
        pieces.append([Piece(index: index, start: 0, count: count)])
    }

    /// Adds reads for the beginning and end of a file, and for the parts between them.
    private mutating func widen(_ group: ArraySlice<Part>, _ path: String, _ size: UInt64) {
        let usual = DeviceByteSource.readAhead(of: path)
        let (head, tail) = (UInt64(usual.block), UInt64(usual.tail))
        let wide = size <= head + tail ? [0..<size] : [0..<head, size - tail..<size]
        var inner: [Int] = []
        var pieces = wide.map { _ in [Piece]() }
        for (index, part) in zip(group.indices, group) {
            guard let range = part.request.range else { continue }
            let place = wide.firstIndex {
                $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound
            }
            if let place {
                pieces[place].append(
                    Piece(
                        index: index, start: Int(range.lowerBound - wide[place].lowerBound),
                        count: Int(range.upperBound - range.lowerBound)))
            } else {
                inner.append(index)
            }
        }
        var own: [Int] = []
        for (place, range) in wide.enumerated() {
            if place == 1 { for index in inner { read(group[index].request, for: index) } }
            owners[reads.count] = ends.count
            own.append(reads.count)
            reads.append(
                FileReadRequest(path, range: range, limit: Int(clamping: range.upperBound - range.lowerBound))
            )
            self.pieces.append(pieces[place])
        }
        ends.append(Ends(path: path, size: size, reads: own))
    }

    /// Passes the result of a read to the requests that it serves, and keeps the beginning and end of the file if
    /// they are complete.
    mutating func take(
        _ place: Int, _ result: TransferResult<[UInt8]>, _ kept: inout HeadTailCache,
        each: (Int, TransferResult<[UInt8]>) -> Void
    ) {
        for piece in pieces[place] {
            each(piece.index, result.map { Array($0.dropFirst(piece.start).prefix(piece.count)) })
        }
        guard let owner = owners[place], case .success(let bytes) = result else { return }
        ends[owner].bytes[place] = bytes
        let file = ends[owner]
        // Copy each array as a whole, because a lazy sequence of several arrays would copy byte by byte.
        let read = file.reads.compactMap { file.bytes[$0] }.reduce(into: [UInt8]()) { $0 += $1 }
        // Do not keep parts of a file that has become shorter; it is read again.
        guard file.bytes.count == file.reads.count, read.count == Self.length(file.size, file.path) else {
            return
        }
        ends[owner].bytes = [:]
        let head = DeviceByteSource.readAhead(of: file.path).block
        kept.keep(
            FileEnds(
                status: FileStatus(kind: .file, size: file.size), head: Array(read.prefix(head)),
                tail: Array(read.dropFirst(head))),
            of: file.path, in: root)
    }
}
