import Diagnostics
import FoundationEssentials

/// Parses the binary form of a property list.
///
/// Copying an object for each reference to it could take hours for a hostile list of a hundred bytes. This parser
/// counts the values that it expands and stops at its limits.
struct BinaryParser {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let tableStart: Int
    private let depthLimit: Int
    private var valuesLeft: Int
    private var bytesLeft: Int?
    /// Texts and data by object number, because many references may share one.
    private var shared: [Int: PropertyList] = [:]

    static func parse(
        _ bytes: [UInt8], _ limits: PropertyListLimits
    ) throws(PropertyListError) -> PropertyList {
        var parser = try BinaryParser(bytes, limits)
        return try parser.object(try parser.topObject(), depth: 0)
    }

    private init(_ bytes: [UInt8], _ limits: PropertyListLimits) throws(PropertyListError) {
        self.bytes = bytes
        valuesLeft = limits.values
        depthLimit = limits.depth
        bytesLeft = limits.repetition.map { $0 * bytes.count + 4096 }
        guard bytes.count >= 8 + 32, bytes.starts(with: PropertyList.binaryMark) else {
            throw Self.damaged
        }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw Self.damaged }
        objectCount = try Self.unsigned(bytes, at: trailer + 8, size: 8)
        tableStart = try Self.unsigned(bytes, at: trailer + 24, size: 8)
        let (tableSize, overflow) = objectCount.multipliedReportingOverflow(by: offsetSize)
        guard !overflow, objectCount > 0, tableStart >= 8, tableStart <= trailer,
            tableSize <= trailer - tableStart
        else { throw Self.damaged }
    }

    private func topObject() throws(PropertyListError) -> Int {
        try Self.unsigned(bytes, at: bytes.count - 16, size: 8)
    }

    private mutating func object(_ reference: Int, depth: Int) throws(PropertyListError)
        -> PropertyList
    {
        valuesLeft -= 1
        guard valuesLeft >= 0, depth <= depthLimit else {
            throw PropertyListError(
                .tooLarge, "The property list has too many values or is nested too deeply.")
        }
        guard reference < objectCount else { throw Self.damaged }
        if let known = shared[reference] {
            try spend(known)
            return known
        }
        let start = try Self.unsigned(bytes, at: tableStart + reference * offsetSize, size: offsetSize)
        guard start >= 8, start < tableStart else { throw Self.damaged }
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch marker {
            case 0x08: return .boolean(false)
            case 0x09: return .boolean(true)
            default: throw Self.damaged
            }
        case 0x1: return try integer(at: start + 1, exponent: low)
        case 0x2: return .real(try real(at: start + 1, exponent: low))
        case 0x3:
            guard low == 3 else { throw Self.damaged }
            return .date(Date(timeIntervalSinceReferenceDate: try real(at: start + 1, exponent: 3)))
        case 0x4: return try share(.data(Data(try content(start, low, unit: 1))), reference)
        case 0x5:
            let text = String(decoding: try content(start, low, unit: 1), as: UTF8.self)
            return try share(.string(text), reference)
        case 0x6:
            let units = try content(start, low, unit: 2)
            let text = String(
                decoding: stride(from: units.startIndex, to: units.endIndex, by: 2)
                    .map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }, as: UTF16.self)
            return try share(.string(text), reference)
        case 0x8:
            guard low < 8, start + 2 + low <= tableStart else { throw Self.damaged }
            return .uid(bytes[(start + 1)...(start + 1 + low)].reduce(0) { $0 << 8 | UInt64($1) })
        case 0xA:
            var values: [PropertyList] = []
            for reference in try references(start, low, perEntry: 1) {
                values.append(try object(reference, depth: depth + 1))
            }
            return .array(values)
        case 0xD:
            let all = try references(start, low, perEntry: 2)
            var entries: [String: PropertyList] = [:]
            for (key, value) in zip(all.prefix(all.count / 2), all.suffix(all.count / 2)) {
                guard case .string(let name) = try object(key, depth: depth + 1) else { throw Self.damaged }
                // If a key occurs twice, one value would be lost.
                guard entries[name] == nil else { throw Self.damaged }
                entries[name] = try object(value, depth: depth + 1)
            }
            return .dictionary(entries)
        default:
            throw Self.damaged
        }
    }

    /// The number of elements of an object, and the start of its content.
    private func extent(_ start: Int, _ low: Int) throws(PropertyListError) -> (
        start: Int, count: Int
    ) {
        guard low == 0x0F else { return (start + 1, low) }
        guard start + 1 < tableStart, bytes[start + 1] >> 4 == 1 else { throw Self.damaged }
        let exponent = Int(bytes[start + 1] & 0x0F)
        guard exponent <= 3 else { throw Self.damaged }
        return (
            start + 2 + (1 << exponent), try Self.unsigned(bytes, at: start + 2, size: 1 << exponent)
        )
    }

    /// Stores a text or data for the next reference to it.
    private mutating func share(
        _ value: PropertyList, _ reference: Int
    ) throws(PropertyListError) -> PropertyList {
        try spend(value)
        shared[reference] = value
        return value
    }

    private mutating func spend(_ value: PropertyList) throws(PropertyListError) {
        guard let left = bytesLeft else { return }
        let size =
            switch value {
            case .string(let text): text.utf8.count
            case .data(let data): data.count
            default: 0
            }
        bytesLeft = left - size
        guard left >= size else {
            throw PropertyListError(.tooLarge, "The property list repeats its content too often.")
        }
    }

    private func content(_ start: Int, _ low: Int, unit: Int) throws(PropertyListError)
        -> ArraySlice<UInt8>
    {
        let (first, count) = try extent(start, low)
        let (size, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, first <= tableStart, size <= tableStart - first else { throw Self.damaged }
        return bytes[first..<first + size]
    }

    private func references(_ start: Int, _ low: Int, perEntry: Int) throws(PropertyListError)
        -> [Int]
    {
        let (first, count) = try extent(start, low)
        let (entries, overflow) = count.multipliedReportingOverflow(by: perEntry)
        let (size, overflowToo) = entries.multipliedReportingOverflow(by: referenceSize)
        guard !overflow, !overflowToo, first <= tableStart, size <= tableStart - first else {
            throw Self.damaged
        }
        var references: [Int] = []
        for index in 0..<entries {
            references.append(
                try Self.unsigned(bytes, at: first + index * referenceSize, size: referenceSize))
        }
        return references
    }

    private func integer(at start: Int, exponent: Int) throws(PropertyListError) -> PropertyList {
        guard exponent <= 4, start + (1 << exponent) <= tableStart else { throw Self.damaged }
        var value: UInt64 = 0
        // Writers use the 16-byte form for unsigned numbers. A number that does not fit into 64 bits is refused.
        for (position, byte) in bytes[start..<start + (1 << exponent)].enumerated() {
            if exponent == 4, position < 8, byte != 0 { throw Self.damaged }
            value = value << 8 | UInt64(byte)
        }
        if exponent == 4, value > UInt64(Int64.max) { return .unsigned(value) }
        return .integer(Int64(bitPattern: value))
    }

    private func real(at start: Int, exponent: Int) throws(PropertyListError) -> Double {
        guard exponent == 2 || exponent == 3, start + (1 << exponent) <= tableStart else {
            throw Self.damaged
        }
        var pattern: UInt64 = 0
        for byte in bytes[start..<start + (1 << exponent)] { pattern = pattern << 8 | UInt64(byte) }
        return exponent == 3 ? Double(bitPattern: pattern) : Double(Float(bitPattern: UInt32(pattern)))
    }

    /// Reads a big-endian number that must fit into an `Int`, so that adding it to an offset in memory cannot
    /// overflow.
    private static func unsigned(_ bytes: [UInt8], at start: Int, size: Int) throws(PropertyListError)
        -> Int
    {
        guard start >= 0, size <= bytes.count, start <= bytes.count - size else { throw damaged }
        var value: UInt64 = 0
        for byte in bytes[start..<start + size] { value = value << 8 | UInt64(byte) }
        guard value <= UInt64(Int32.max) else { throw damaged }
        return Int(value)
    }

    private static var damaged: PropertyListError {
        PropertyListError(.malformed, "This is not a well-formed binary property list.")
    }
}
