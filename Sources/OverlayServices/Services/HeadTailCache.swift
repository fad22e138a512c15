import HostContent
import DeviceTransport

/// The ends of files that an overlay reads parts of before it asks for their metadata.
///
/// Each part of a file that an overlay reads costs requests, and so do the ends of the file, from which its metadata comes. What
/// is read while the file is open serves both. The ends are handed out once, and not after the overlay has changed anything.
/// Lives as long as a method, on its thread.
struct HeadTailCache {
    /// The most bytes that are kept at a time; the rest is read when it is needed.
    static let mostBytes = 24 << 20

    private struct File: Hashable {
        let root: UInt32
        let path: String
    }

    private var held: [File: FileEnds] = [:]
    private var bytes = 0

    /// The ends of a file, if they were read with its other parts.
    mutating func take(_ path: String, in root: UInt32) -> FileEnds? {
        guard let ends = held.removeValue(forKey: File(root: root, path: path)) else { return nil }
        bytes -= ends.head.count + ends.tail.count
        return ends
    }

    /// Keeps the ends of a file until they are asked for.
    fileprivate mutating func keep(_ ends: FileEnds, of path: String, in root: UInt32) {
        _ = take(path, in: root)
        held[File(root: root, path: path)] = ends
        bytes += ends.head.count + ends.tail.count
    }

    fileprivate var room: Int { Self.mostBytes - bytes }
}

/// What is read of the device for the parts of files that an overlay asks for, with the ends of those whose metadata comes next.
struct CoalescedReads {
    /// One request of the overlay.
    struct Part {
        var request: FileReadRequest
        /// Whether it ends where the file does, and the file's metadata is asked for next.
        var precedesMetadata: Bool
    }

    /// Where the bytes of a request of the overlay come from.
    private struct Piece {
        var index: Int
        /// Within the bytes that are read.
        var start: Int
        var count: Int
    }

    private struct Ends {
        var path: String
        var size: UInt64
        /// The reads of the beginning and the end, which are one for a short file.
        var reads: [Int]
        /// What was read, by read.
        var bytes: [Int: [UInt8]] = [:]
    }

    /// What the device is asked for.
    private(set) var reads: [FileReadRequest] = []
    private var pieces: [[Piece]] = []
    private var ends: [Ends] = []
    /// The place in `ends` of a read.
    private var owners: [Int: Int] = [:]
    private let root: UInt32

    /// - Parameter room: bytes of ends that may be kept.
    init(_ parts: [Part], in root: UInt32, _ kept: HeadTailCache) {
        self.root = root
        var room = kept.room
        for group in Self.groups(parts) {
            if let size = Self.size(group), let path = group.first?.request.path, Self.length(size) <= room {
                room -= Self.length(size)
                widen(group, path, size)
            } else {
                for (index, part) in zip(group.indices, group) { read(part.request, for: index) }
            }
        }
    }

    /// The parts of one file after another.
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

    /// The size of a file, by the parts that an overlay asks for before its metadata; nil for others.
    static func size(_ group: ArraySlice<Part>) -> UInt64? {
        guard let last = group.last, last.precedesMetadata,
            group.allSatisfy({ $0.request.range != nil && !$0.request.once })
        else { return nil }
        return last.request.range?.upperBound
    }

    /// Bytes of both ends together.
    private static func length(_ size: UInt64) -> Int {
        let usual = DeviceByteSource.readAhead
        return Int(min(size, UInt64(usual.block + usual.tail)))
    }

    private mutating func read(_ request: FileReadRequest, for index: Int) {
        reads.append(request)
        let count = request.range.map { Int(clamping: $0.upperBound - $0.lowerBound) } ?? .max
        pieces.append([Piece(index: index, start: 0, count: count)])
    }

    /// Reads the ends of a file, and between them what they do not contain.
    private mutating func widen(_ group: ArraySlice<Part>, _ path: String, _ size: UInt64) {
        let usual = DeviceByteSource.readAhead
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

    /// Hands the answer to a read on to the requests that it serves, and keeps the ends of a file that is read.
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
        // One copy of memory: a lazy sequence of several arrays goes byte by byte.
        let read = file.reads.compactMap { file.bytes[$0] }.reduce(into: [UInt8]()) { $0 += $1 }
        // A file that has become shorter is looked at anew.
        guard file.bytes.count == file.reads.count, read.count == Self.length(file.size) else { return }
        ends[owner].bytes = [:]
        let head = DeviceByteSource.readAhead.block
        kept.keep(
            FileEnds(
                status: FileStatus(kind: .file, size: file.size), head: Array(read.prefix(head)),
                tail: Array(read.dropFirst(head))),
            of: file.path, in: root)
    }
}
