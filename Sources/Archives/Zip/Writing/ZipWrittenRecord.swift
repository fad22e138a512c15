import Platform

/// The description of one entry that a writer outputs (ZIP specification 4.3.7, 4.3.9, 4.3.12).
struct ZipWrittenRecord {
    /// The name in UTF-8.
    let name: [UInt8]
    /// The offset of the local header.
    let offset: UInt64
    let time: ZipTime
    var method: UInt16 = 0
    var crc32: UInt32 = 0
    var length: UInt64 = 0
    var storedLength: UInt64 = 0
    /// Whether the lengths and the checksum follow the content.
    var hasDescriptor = false
    /// Whether the lengths have 64 bits.
    var isWide = false

    init(name: [UInt8], offset: UInt64, time: ZipTime) {
        self.name = name
        self.offset = offset
        self.time = time
    }

    /// An ASCII name does not set the UTF-8 flag, as OCF 3.3, section 4.3, requires for the first entry of an EPUB.
    private var flags: UInt16 {
        (hasDescriptor ? 1 << 3 : 0) | (name.allSatisfy { $0 < 0x80 } ? 0 : 1 << 11)
    }

    private var version: UInt16 { isWide || offset >= UInt32.max ? 45 : 20 }

    var localHeader: [UInt8] {
        var record = ZipBytes()
        record.put(UInt32(0x0403_4B50))
        record.put(version)
        putCommon(to: &record)
        if hasDescriptor {
            record.put(UInt32(0))
            record.put(isWide ? UInt32.max : 0)
            record.put(isWide ? UInt32.max : 0)
        } else {
            record.put(crc32)
            record.putNarrow(storedLength)
            record.putNarrow(length)
        }
        record.put(UInt16(name.count))
        record.put(UInt16(isWide ? 20 : 0))
        record.put(name)
        if isWide {
            record.put(UInt16(1))
            record.put(UInt16(16))
            record.put(UInt64(0))
            record.put(UInt64(0))
        }
        return record.bytes
    }

    /// The data descriptor, which follows the content.
    var descriptor: [UInt8] {
        var record = ZipBytes()
        record.put(UInt32(0x0807_4B50))
        record.put(crc32)
        if isWide {
            record.put(storedLength)
            record.put(length)
        } else {
            record.putNarrow(storedLength)
            record.putNarrow(length)
        }
        return record.bytes
    }

    var directoryRecord: [UInt8] {
        var wide = ZipBytes()
        if isWide {
            wide.put(length)
            wide.put(storedLength)
        }
        if offset >= UInt32.max { wide.put(offset) }
        var record = ZipBytes()
        record.put(UInt32(0x0201_4B50))
        // The host is Unix, for which the upper half of the attributes is the mode.
        record.put(UInt16(3 << 8) | version)
        record.put(version)
        putCommon(to: &record)
        record.put(crc32)
        record.putNarrow(isWide ? .max : storedLength)
        record.putNarrow(isWide ? .max : length)
        record.put(UInt16(name.count))
        record.put(UInt16(wide.bytes.isEmpty ? 0 : wide.bytes.count + 4))
        // No comment, the first disk, no internal attributes.
        for _ in 0..<3 { record.put(UInt16(0)) }
        record.put(UInt32(0o100644) << 16)
        record.putNarrow(offset >= UInt32.max ? .max : offset)
        record.put(name)
        if !wide.bytes.isEmpty {
            record.put(UInt16(1))
            record.put(UInt16(wide.bytes.count))
            record.put(wide.bytes)
        }
        return record.bytes
    }

    private func putCommon(to record: inout ZipBytes) {
        record.put(flags)
        record.put(method)
        record.put(time.time)
        record.put(time.date)
    }
}

/// The records at the end of an archive (ZIP specification 4.3.14 to 4.3.16).
struct ZipEnding {
    /// The offset of the directory, its size in bytes, and the number of its records.
    let start: UInt64, length: UInt64, count: UInt64

    var bytes: [UInt8] {
        var record = ZipBytes()
        if count >= UInt16.max || length >= UInt32.max || start >= UInt32.max {
            let place = start + length
            record.put(UInt32(0x0606_4B50))
            record.put(UInt64(44))
            record.put(UInt16(3 << 8 | 45))
            record.put(UInt16(45))
            record.put(UInt32(0))
            record.put(UInt32(0))
            record.put(count)
            record.put(count)
            record.put(length)
            record.put(start)
            record.put(UInt32(0x0706_4B50))
            record.put(UInt32(0))
            record.put(place)
            record.put(UInt32(1))
        }
        record.put(UInt32(0x0605_4B50))
        record.put(UInt16(0))
        record.put(UInt16(0))
        record.put(UInt16(clamping: count))
        record.put(UInt16(clamping: count))
        record.putNarrow(length)
        record.putNarrow(start)
        record.put(UInt16(0))
        return record.bytes
    }
}

/// A time in the format of ZIP records: years from 1980 to 2107, in steps of two seconds. Here it is always in UTC.
struct ZipTime: Equatable {
    /// The hours, the minutes, and half the seconds.
    let time: UInt16
    /// The years since 1980, the month and the day.
    let date: UInt16

    /// The first possible day, which represents an unknown time.
    static let unknown = ZipTime(time: 0, date: 1 << 5 | 1)

    private init(time: UInt16, date: UInt16) {
        self.time = time
        self.date = date
    }

    /// Creates a time from seconds since 1970-01-01 00:00 UTC; `unknown` outside the years that ZIP supports.
    init(seconds: Int64) {
        guard (315_532_800..<4_354_819_200).contains(seconds) else {
            self = .unknown
            return
        }
        let civil = CivilTime(secondsSince1970: seconds)
        date = UInt16(civil.date.year - 1980) << 9 | UInt16(civil.date.month) << 5 | UInt16(civil.date.day)
        time = UInt16(civil.hour) << 11 | UInt16(civil.minute) << 5 | UInt16(civil.second / 2)
    }
}

/// The bytes of ZIP records, to which little-endian numbers are appended.
struct ZipBytes {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ number: UInt16) { append(UInt64(number), 2) }
    mutating func put(_ number: UInt32) { append(UInt64(number), 4) }
    mutating func put(_ number: UInt64) { append(number, 8) }
    mutating func put(_ bytes: [UInt8]) { self.bytes += bytes }

    /// Appends a 32-bit number, or all ones if the number is in the ZIP64 field.
    mutating func putNarrow(_ number: UInt64) { put(UInt32(exactly: number) ?? .max) }

    private mutating func append(_ number: UInt64, _ count: UInt64) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
