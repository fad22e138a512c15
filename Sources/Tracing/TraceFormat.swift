import OverlayABI
import OverlayCalls
import Platform

/// The constants of the recording format, version 1 (docs/trace.md). All numbers are little-endian.
enum TraceFormat {
    /// The first bytes of every recording.
    static let mark: [UInt8] = Array("OVLTRACE".utf8)
    /// Increases with every change that older readers would misread.
    static let version: UInt32 = 1
    /// The size in bytes of the fixed part of the file's header.
    static let headerSize = 56
    /// The offset in the header of the signal that ended the program; its value is 0 if none is known.
    static let signalPlace = 52
    /// The most bytes of a file's header that are read.
    static let largestHeader = 1 << 20
    /// The number of bytes before the body of each record.
    static let recordSize = 32
    /// A record length that marks a record as unfinished, because the program ended while writing it.
    static let unfinished = UInt32.max

    /// A value length that marks a value as cut, because it has more bytes than are kept.
    static let cut = UInt32.max
    /// A length or count that marks a value as impossible; it was not followed.
    static let impossible = UInt32.max - 1
    /// The most bytes of one value that can be kept.
    static let longest: UInt64 = 0xFFFF_FF00
    /// The size in bytes of the SHA-256 digest of a cut value.
    static let digestSize = 32

    /// The kinds of records.
    enum Kind: UInt8 {
        /// A call is about to be made.
        case call = 1
        /// A call has returned.
        case answer = 2
        /// An overlay participates from here on.
        case overlay = 3
        /// The end of the recording.
        case end = 4
        /// The overlay ended during the running call of this thread.
        case breakdown = 5
    }

    /// The flag of a record that says that the overlay calls the host.
    static let fromOverlay: UInt8 = 1

    /// Identifies the table of signatures of a program: the FNV-1a hash of all names, kinds and offsets.
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

/// How much of the data that crosses the boundary a recording keeps.
package struct TraceLimits: Sendable, Equatable {
    /// The most bytes that are kept of a value of bytes, such as a piece of a book. For a longer value the recording
    /// also keeps its length and digest.
    package var bytes: UInt64
    /// The most bytes that are kept of each text.
    package var text: UInt64

    /// Only the beginnings of contents, so that a book cannot be restored from a recording.
    package static let usual = TraceLimits(bytes: 4096, text: 64 << 10)
    /// Everything.
    package static let whole = TraceLimits(bytes: TraceFormat.longest, text: TraceFormat.longest)

    /// Limits; no value may be longer than 4 GiB.
    package init(bytes: UInt64, text: UInt64) {
        self.bytes = min(bytes, TraceFormat.longest)
        self.text = min(text, TraceFormat.longest)
    }

    /// Larger values are not read, because they cannot fit in memory.
    static let largestValue: UInt64 = 1 << 32
    /// Longer lists are not read.
    static let longestList: UInt64 = 1 << 26
    /// Larger records are not read.
    static let largestRecord = 1 << 20
}
