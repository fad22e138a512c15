import Diagnostics

/// The header before the bytes of each message.
struct MessageHeader {
    /// The kinds of messages.
    enum Kind: UInt32 {
        /// Requests a call; the body contains the arguments.
        case call = 1
        /// Answers a call; the body contains the result and what the callee wrote.
        case answer = 2
        /// Several calls of one sink, which are made without individual answers until one of them asks to stop.
        case rows = 4
        /// Answers rows that have a number; `target` contains the status.
        case rowsTaken = 5
        /// A call without an answer.
        case oneWay = 6
        /// Reports a value that breaks the contract and so cannot be sent; the body is a sentence.
        case breach = 7
        /// A notification between the programs on both sides; `target` identifies it.
        case notification = 8
    }

    /// The first bytes of every message, by which a receiver notices that it has lost its position.
    static let mark: UInt32 = 0x4C56_4F01
    /// The size of a header in bytes.
    static let size = 40

    var kind: Kind
    /// The number of memory files sent with the message.
    var descriptors: Int
    /// The number of bytes after the header.
    var length: Int
    /// The table or sink, or a value whose meaning depends on the kind.
    var target: UInt64
    /// The plan of the table or sink.
    var record: UInt32
    /// The index of the function.
    var function: UInt32
    /// The number of the sender's question, or of the receiver's question that this answers; 0 for neither.
    var number: UInt64 = 0

    /// The bit in `target` that marks a sink.
    static let sink: UInt64 = 1 << 63

    init(_ kind: Kind, target: UInt64 = 0, record: UInt32 = 0, function: UInt32 = 0) {
        self.kind = kind
        descriptors = 0
        length = 0
        self.target = target
        self.record = record
        self.function = function
    }

    /// Reads and checks the header at `bytes`.
    init(_ bytes: UnsafeRawPointer, _ limits: WorkerRPCLimits) throws(WorkerRPCError) {
        guard bytes.loadUnaligned(as: UInt32.self) == Self.mark,
            let kind = Kind(rawValue: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) & 0xFF)
        else { throw WorkerRPCError(.malformed, "A message has no valid beginning.") }
        self.kind = kind
        descriptors = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) >> 8)
        let length = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        guard length <= UInt64(limits.message), length & 7 == 0 else {
            throw WorkerRPCError(.malformed, "A message has \(length) bytes.")
        }
        self.length = Int(length)
        target = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        record = bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
        function = bytes.loadUnaligned(fromByteOffset: 28, as: UInt32.self)
        number = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    }

    func write(to bytes: UnsafeMutableRawPointer) {
        bytes.storeBytes(of: Self.mark, as: UInt32.self)
        bytes.storeBytes(of: kind.rawValue | UInt32(descriptors) << 8, toByteOffset: 4, as: UInt32.self)
        bytes.storeBytes(of: UInt64(length), toByteOffset: 8, as: UInt64.self)
        bytes.storeBytes(of: target, toByteOffset: 16, as: UInt64.self)
        bytes.storeBytes(of: record, toByteOffset: 24, as: UInt32.self)
        bytes.storeBytes(of: function, toByteOffset: 28, as: UInt32.self)
        bytes.storeBytes(of: number, toByteOffset: 32, as: UInt64.self)
    }
}
