/// Bytes on their way out, in pieces. Small requests are gathered; a large write is one piece with its header.
struct OutgoingQueue {
    private static let gathering = 32 << 10
    private var pieces: [Piece] = []
    private var spare: [Piece] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a small request.
    mutating func append(_ bytes: [UInt8], packet: UInt64) {
        count += bytes.count
        if let last = pieces.last, last.isGathering, last.room >= bytes.count {
            last.append(bytes, packet)
            return
        }
        let piece = Piece(capacity: max(Self.gathering, bytes.count), isGathering: true)
        piece.append(bytes, packet)
        pieces.append(piece)
    }

    /// A piece for `capacity` bytes that the caller fills and then gives to `append`.
    mutating func piece(capacity: Int) -> Piece {
        if let index = spare.lastIndex(where: { $0.capacity >= capacity }) {
            let piece = spare.remove(at: index)
            piece.clear()
            return piece
        }
        return Piece(capacity: capacity, isGathering: false)
    }

    /// Adds a filled piece that holds one request.
    mutating func append(_ piece: Piece, packet: UInt64) {
        count += piece.end
        piece.packets = [packet]
        pieces.append(piece)
    }

    /// Takes back the pieces of which nothing was sent and all of whose requests may be forgotten; returns the numbers of
    /// these requests.
    mutating func takeBack(_ mayForget: (UInt64) -> Bool) -> [UInt64] {
        var taken: [UInt64] = []
        pieces.removeAll { piece in
            guard piece.start == 0, piece.packets.allSatisfy(mayForget) else { return false }
            taken += piece.packets
            count -= piece.end
            return true
        }
        return taken
    }

    /// The bytes to send next; empty when there are none.
    var front: UnsafeRawBufferPointer { pieces.first?.unsent ?? UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Notes that this many bytes of `front` were sent.
    mutating func advance(_ sent: Int) {
        guard let piece = pieces.first else { return }
        count -= sent
        piece.start += sent
        guard piece.start >= piece.end else { return }
        pieces.removeFirst()
        if !piece.isGathering, spare.count < 4 { spare.append(piece) }
    }

    /// Memory for one piece.
    final class Piece {
        let capacity: Int
        let isGathering: Bool
        private let memory: UnsafeMutableRawPointer
        fileprivate var start = 0
        fileprivate(set) var end = 0
        /// The requests it holds, whole.
        fileprivate var packets: [UInt64] = []

        fileprivate init(capacity: Int, isGathering: Bool) {
            self.capacity = capacity
            self.isGathering = isGathering
            memory = .allocate(byteCount: capacity, alignment: 16)
        }

        deinit { memory.deallocate() }

        fileprivate var room: Int { capacity - end }
        fileprivate var unsent: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: memory + start, count: end - start)
        }

        fileprivate func append(_ bytes: [UInt8], _ packet: UInt64) {
            bytes.withUnsafeBytes { source in
                guard let base = source.baseAddress else { return }
                (memory + end).copyMemory(from: base, byteCount: source.count)
            }
            end += bytes.count
            packets.append(packet)
        }

        fileprivate func clear() {
            start = 0
            end = 0
            packets = []
        }

        /// The first `count` bytes, to be filled; they become the piece's content.
        func fill(_ count: Int) -> UnsafeMutableRawBufferPointer {
            precondition(count <= capacity, "a piece holds what it was made for")
            end = count
            return UnsafeMutableRawBufferPointer(start: memory, count: count)
        }
    }
}
