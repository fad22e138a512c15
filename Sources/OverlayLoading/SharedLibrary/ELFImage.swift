import Diagnostics

/// The parts of a library's ELF file that the host checks before loading it: the machine type and the exported
/// symbols.
///
/// The file may be malicious. Every offset and size is checked, every amount is limited, and nothing traps.
struct ELFImage {
    /// The names of the defined global symbols that are visible to other libraries.
    let exportedSymbols: [String]

    /// Returns exactly `count` bytes at `offset`; nil if the file does not have them.
    typealias Source = (_ offset: UInt64, _ count: Int) -> [UInt8]?

    /// Reads a file of `size` bytes. Throws `notALibrary` if it is not a shared library for this machine.
    init(size: UInt64, source: @escaping Source) throws(OverlayRefusal) {
        let file = Reader(size: size, source: source)
        let header = try Self.header(file)
        let segments = try Self.segments(file, header)
        let dynamic = try Self.dynamic(file, segments)
        exportedSymbols = try Self.exports(file, segments, dynamic)
    }
}

// MARK: - parts of the file

extension ELFImage {
    /// Limits above which a library counts as damaged. Real libraries are far below them.
    private enum Most {
        static let segments = 512
        static let dynamicBytes: UInt64 = 1 << 16
        static let symbols: UInt64 = 1 << 18
        static let nameBytes: UInt64 = 1 << 25
        static let buckets: UInt64 = 1 << 20
    }

    private struct Reader {
        let size: UInt64
        let source: Source

        func bytes(_ offset: UInt64, _ count: UInt64) throws(OverlayRefusal) -> [UInt8] {
            let (end, overflow) = offset.addingReportingOverflow(count)
            guard !overflow, end <= size, let wanted = Int(exactly: count) else { throw truncated }
            guard wanted > 0 else { return [] }
            guard let bytes = source(offset, wanted), bytes.count == wanted else { throw truncated }
            return bytes
        }
    }

    private struct Segment {
        let type: UInt32
        let offset: UInt64
        let address: UInt64
        let size: UInt64
    }

    private static func header(_ file: Reader) throws(OverlayRefusal) -> [UInt8] {
        let magic = try file.bytes(0, min(4, file.size))
        guard magic == [0x7F, 0x45, 0x4C, 0x46] else { throw refusal("The file is not a library.") }
        let header = try file.bytes(0, 64)
        guard header[4] == 2 else { throw refusal("The file is a library for 32-bit programs.") }
        guard header[5] == 1 else {
            throw refusal("The file is a library for machines with the opposite byte order.")
        }
        let machine = number(header, 18, as: UInt16.self)
        guard machine == expectedMachine else {
            throw refusal(
                "The file is a library for another processor: its ELF machine is \(machine), and that of this host "
                    + "\(expectedMachine).")
        }
        switch number(header, 16, as: UInt16.self) {
        case 3: return header
        case 1: throw refusal("The file is an object file, not a shared library.")
        case 2: throw refusal("The file is a program, not a shared library.")
        case 4: throw refusal("The file is a core dump, not a shared library.")
        default: throw refusal("The file is not a shared library.")
        }
    }

    private static var expectedMachine: UInt16 {
        #if arch(x86_64)
        62
        #elseif arch(arm64)
        183
        #elseif arch(riscv64)
        243
        #else
        #error("name the ELF machine number of this processor")
        #endif
    }

    private static func segments(_ file: Reader, _ header: [UInt8]) throws(OverlayRefusal) -> [Segment] {
        let count = Int(number(header, 56, as: UInt16.self))
        guard number(header, 54, as: UInt16.self) == 56, count <= Most.segments else { throw malformed }
        let table = try file.bytes(number(header, 32, as: UInt64.self), UInt64(count) * 56)
        return (0..<count).map { index in
            let start = index * 56
            return Segment(
                type: number(table, start, as: UInt32.self),
                offset: number(table, start + 8, as: UInt64.self),
                address: number(table, start + 16, as: UInt64.self),
                size: number(table, start + 32, as: UInt64.self))
        }
    }

    /// The values of the dynamic section by tag.
    private static func dynamic(_ file: Reader, _ segments: [Segment]) throws(OverlayRefusal) -> [UInt64:
        UInt64]
    {
        guard let segment = segments.first(where: { $0.type == 2 }) else {
            throw refusal("The file is a library without a dynamic section.")
        }
        guard segment.size <= Most.dynamicBytes else { throw malformed }
        let table = try file.bytes(segment.offset, segment.size)
        var values: [UInt64: UInt64] = [:]
        for start in stride(from: 0, through: table.count - 16, by: 16) {
            let tag = number(table, start, as: UInt64.self)
            if tag == 0 { break }
            values[tag] = number(table, start + 8, as: UInt64.self)
        }
        return values
    }

    /// The bytes at an address in the loaded image.
    private static func bytes(
        _ file: Reader, _ segments: [Segment], at address: UInt64, _ count: UInt64
    ) throws(OverlayRefusal) -> [UInt8] {
        for segment in segments where segment.type == 1 && address >= segment.address {
            let inside = address - segment.address
            guard inside <= segment.size, count <= segment.size - inside else { continue }
            let (offset, overflow) = segment.offset.addingReportingOverflow(inside)
            guard !overflow else { throw malformed }
            return try file.bytes(offset, count)
        }
        throw malformed
    }
}

// MARK: - symbols

extension ELFImage {
    private static func exports(
        _ file: Reader, _ segments: [Segment], _ dynamic: [UInt64: UInt64]
    ) throws(OverlayRefusal) -> [String] {
        guard let table = dynamic[6], let names = dynamic[5], let nameBytes = dynamic[10] else { return [] }
        guard nameBytes <= Most.nameBytes, dynamic[11] ?? 24 == 24 else { throw malformed }
        let count = try symbolCount(file, segments, dynamic)
        guard count <= Most.symbols else { throw malformed }
        let symbols = try bytes(file, segments, at: table, count * 24)
        let strings = try bytes(file, segments, at: names, nameBytes)
        var found: [String] = []
        for start in stride(from: 0, to: symbols.count, by: 24) {
            let info = symbols[start + 4]
            let isDefined = number(symbols, start + 6, as: UInt16.self) != 0
            // Bindings: 1 global, 2 weak, 10 unique.
            guard isDefined, [1, 2, 10].contains(info >> 4) else {
                continue
            }
            guard let name = name(strings, at: number(symbols, start, as: UInt32.self)) else {
                throw malformed
            }
            found.append(name)
        }
        return found
    }

    private static func name(_ strings: [UInt8], at offset: UInt32) -> String? {
        let start = Int(offset)
        guard start < strings.count, let end = strings[start...].firstIndex(of: 0) else { return nil }
        return String(decoding: strings[start..<end], as: UTF8.self)
    }

    /// The number of symbols, from the hash tables, because the dynamic section does not contain it.
    private static func symbolCount(
        _ file: Reader, _ segments: [Segment], _ dynamic: [UInt64: UInt64]
    ) throws(OverlayRefusal) -> UInt64 {
        if let table = dynamic[4] {
            return UInt64(number(try bytes(file, segments, at: table, 8), 4, as: UInt32.self))
        }
        guard let table = dynamic[0x6FFF_FEF5] else { return 0 }
        let header = try bytes(file, segments, at: table, 16)
        let buckets = UInt64(number(header, 0, as: UInt32.self))
        let first = UInt64(number(header, 4, as: UInt32.self))
        let filterWords = UInt64(number(header, 8, as: UInt32.self))
        guard buckets <= Most.buckets else { throw malformed }
        let bucketsAt = try sum(table, 16 + filterWords * 8)
        let heads = try bytes(file, segments, at: bucketsAt, buckets * 4)
        var last: UInt64 = 0
        for start in stride(from: 0, to: heads.count, by: 4) {
            last = max(last, UInt64(number(heads, start, as: UInt32.self)))
        }
        // No bucket is used, so there are only symbols before the hashed ones, which are not exported.
        guard last >= first else { return first }
        let chains = try sum(bucketsAt, buckets * 4)
        while last < Most.symbols {
            let link = try bytes(file, segments, at: try sum(chains, (last - first) * 4), 4)
            last += 1
            if number(link, 0, as: UInt32.self) & 1 == 1 { return last }
        }
        throw malformed
    }

    private static func sum(_ a: UInt64, _ b: UInt64) throws(OverlayRefusal) -> UInt64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        guard !overflow else { throw malformed }
        return sum
    }

    /// Reads a little-endian number. The caller must ensure that the bytes exist.
    private static func number<T: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: [UInt8], _ offset: Int, as type: T.Type
    ) -> T {
        guard offset >= 0, offset + MemoryLayout<T>.size <= bytes.count else { return 0 }
        return bytes.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }
}

extension ELFImage {
    /// The prefix of entry functions of all major versions.
    static let entryPrefix = "ovl_entry_v"

    /// The major versions of the ABI for which the library has an entry function, in ascending order.
    var entryMajors: [UInt32] {
        exportedSymbols.filter { $0.hasPrefix(Self.entryPrefix) }
            .compactMap { UInt32($0.dropFirst(Self.entryPrefix.count)) }.sorted()
    }
}

/// Creates the refusal of a file that is not a shared library for this machine.
private func refusal(_ message: String) -> OverlayRefusal { OverlayRefusal(.notALibrary, message) }

private let truncated = refusal("The file is a truncated library.")
private let malformed = refusal("The file is a damaged library.")
