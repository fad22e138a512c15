import OverlayABI
import OverlayCalls
import Platform

/// The numbers of the format of recordings, version 1 (docs/trace.md). All numbers are little-endian.
enum TraceFormat {
    /// The first bytes of every recording.
    static let mark: [UInt8] = Array("OVLTRACE".utf8)
    /// Grows with every change that older readers would misread.
    static let version: UInt32 = 1
    /// Bytes of the fixed part of the file's header.
    static let headerSize = 56
    /// Where the header has the signal that ended the program; 0: none is known.
    static let signalPlace = 52
    /// Bytes of a file's header at most, as it is read.
    static let largestHeader = 1 << 20
    /// Bytes before the body of each record.
    static let recordSize = 32
    /// As the length of a record: it was being written when the program ended.
    static let unfinished = UInt32.max

    /// As the length of a value: of more bytes than are kept.
    static let cut = UInt32.max
    /// As the length or count of a value: it is impossible, and was not followed.
    static let impossible = UInt32.max - 1
    /// Most bytes of one value that can be kept.
    static let longest: UInt64 = 0xFFFF_FF00
    /// Bytes of the digest of a value that is cut: SHA-256.
    static let digestSize = 32

    /// Kinds of records.
    enum Kind: UInt8 {
        /// A call is about to be made.
        case call = 1
        /// A call has returned.
        case answer = 2
        /// An overlay takes part from now on.
        case overlay = 3
        /// Nothing follows.
        case end = 4
        /// The overlay ended during the running call of this thread.
        case breakdown = 5
    }

    /// In the flags of a record: the overlay calls, the host is called.
    static let fromOverlay: UInt8 = 1

    /// Identifies the table of signatures that a program was built with: FNV-1a of all names, kinds and places.
    static let identity: UInt64 = {
        var hash = FNV1a()
        func add(_ byte: UInt8) { hash.add(byte) }
        func add(_ number: UInt32) { withUnsafeBytes(of: number.littleEndian) { hash.add($0) } }
        func add(_ name: UnsafePointer<CChar>) {
            var place = name
            while place.pointee != 0 {
                add(UInt8(bitPattern: place.pointee))
                place += 1
            }
            add(UInt8(0))
        }
        for plan in ContractPlans.shared.records {
            let record = plan.signature.pointee
            add(record.name)
            add(record.size)
            for index in 0..<Int(record.field_count) {
                let field = record.fields[index]
                add(field.name)
                add(field.offset)
                add(field.kind)
                guard let function = field.function?.pointee else { continue }
                add(function.result)
                for place in 0..<Int(function.arg_count) {
                    add(function.args[place].name)
                    add(function.args[place].kind)
                    add(function.args[place].direction)
                }
            }
        }
        return hash.value
    }()
}

/// How much of what crosses is kept in a recording.
package struct TraceLimits: Sendable, Equatable {
    /// Bytes of each value of bytes, such as a piece of a book. Of a longer one its length and digest are kept besides.
    package var bytes: UInt64
    /// Bytes of each text.
    package var text: UInt64

    /// Beginnings of contents only: no book can be made from a recording.
    package static let usual = TraceLimits(bytes: 4096, text: 64 << 10)
    /// Everything.
    package static let whole = TraceLimits(bytes: TraceFormat.longest, text: TraceFormat.longest)

    /// Limits; no value may be longer than 4 GiB.
    package init(bytes: UInt64, text: UInt64) {
        self.bytes = min(bytes, TraceFormat.longest)
        self.text = min(text, TraceFormat.longest)
    }

    /// Values beyond this are not looked at: no memory holds them.
    static let largestValue: UInt64 = 1 << 32
    /// Lists beyond this are not looked at.
    static let longestList: UInt64 = 1 << 26
    /// Records beyond this are not looked at.
    static let largestRecord = 1 << 20
}
