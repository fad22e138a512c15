import Archives
import FoundationEssentials
import TestSupport

/// The archive that a builder makes.
func open(_ builder: ZipBuilder, limits: ZipLimits = ZipLimits()) throws -> ZipArchive {
    try ZipArchive.open(source: DataByteSource(builder.data()), limits: limits)
}

/// The kind of error that an action throws; nil if it succeeds.
func code(_ action: () throws -> some Any) -> ArchiveError.Code? {
    do {
        _ = try action()
        return nil
    } catch {
        return (error as? ArchiveError)?.code ?? ArchiveError.Code(rawValue: "\(error)")
    }
}

/// Bytes that compress somewhat, and differ every 4 KiB.
func numbers(_ count: Int) -> Data {
    let block = noise(4 << 10).dropLast(8)
    var bytes = Data(capacity: count + (4 << 10))
    var number: UInt64 = 0
    while bytes.count < count {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        bytes.append(block)
        number += 1
    }
    return Data(bytes.prefix(count))
}

/// Bytes that do not compress.
func noise(_ count: Int, seed: UInt64 = 1) -> Data {
    var generator = SeededGenerator(seed: seed)
    let words = (0..<(count / 8 + 1)).map { _ in generator.next() }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
}
