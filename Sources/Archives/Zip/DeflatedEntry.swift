import FoundationEssentials
import Synchronization

/// A deflated entry that is read by ranges. Used by one thread at a time, which its reader's lock ensures.
final class DeflatedEntry {
    /// An inflater and its position.
    private struct Place {
        /// The inflater. Copy it before use if this position may be needed again.
        var inflater: Inflater
        /// The number of bytes that it has output.
        var output: Int64 = 0
        /// The number of bytes of the data that it has consumed.
        var input: Int64 = 0
    }

    private let contents: ZipContents
    private let start: Int64
    private let storedLength: Int64
    private let length: Int64
    private let spacing: Int64
    private var place: Place
    private var checkpoints: [Place] = []
    /// Compressed data that were read, and their position in the entry's data.
    private var window = Data()
    private var windowStart: Int64 = 0

    /// The number of compressed bytes that are read at once.
    private static let inputBlock: Int64 = 128 << 10
    /// The largest number of checkpoints, which need about 40 KiB each.
    private static let mostCheckpoints: Int64 = 128

    /// - Parameters:
    ///  - start: the position of the data in the archive.
    ///  - keepsCheckpoints: whether earlier positions may be read again.
    init(
        contents: ZipContents, start: Int64, storedLength: Int64, length: Int64, keepsCheckpoints: Bool
    ) throws(ArchiveError) {
        self.contents = contents
        self.start = start
        self.storedLength = storedLength
        self.length = length
        spacing = keepsCheckpoints ? max(1 << 20, length / Self.mostCheckpoints + 1) : .max
        place = Place(inflater: try Inflater())
    }

    /// Reads a range, which must be within the declared length.
    ///
    /// - Parameter inflated: counts all bytes that are inflated for it.
    func bytes(_ range: Range<Int64>, _ inflated: borrowing Atomic<Int64>) throws(ArchiveError) -> Data {
        try go(to: range.lowerBound, inflated)
        var result = Data()
        // The declared length may be wrong, so the memory is not allocated by it alone.
        var room = Int(min(range.upperBound - range.lowerBound, 16 << 20))
        while place.output < range.upperBound {
            room = Int(min(Int64(room), range.upperBound - place.output))
            let chunk = try Data.filling(room) { output throws(ArchiveError) in
                try fill(output, inflated)
            }
            guard !chunk.isEmpty else { throw Self.endsEarly }
            if result.isEmpty { result = chunk } else { result.append(chunk) }
        }
        return result
    }

    /// Whether the data end at the position of the inflater.
    func isAtEnd(_ inflated: borrowing Atomic<Int64>) throws(ArchiveError) -> Bool {
        var byte: UInt8 = 0
        let count = try withUnsafeMutableBytes(of: &byte) { output in
            Result { () throws(ArchiveError) in try fill(output, inflated) }
        }.get()
        return count == 0
    }

    /// Moves the inflater to a position: from its current position, from the nearest checkpoint, or from the
    /// beginning.
    private func go(to position: Int64, _ inflated: borrowing Atomic<Int64>) throws(ArchiveError) {
        let checkpoint = checkpoints.last { $0.output <= position }
        let isBehind = place.output > position
        if let checkpoint, isBehind || checkpoint.output > place.output {
            place = Place(
                inflater: try Inflater(copying: checkpoint.inflater), output: checkpoint.output,
                input: checkpoint.input)
        } else if isBehind {
            place = Place(inflater: try Inflater())
        }
        guard place.output < position else { return }
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { scratch.deallocate() }
        while place.output < position {
            let count = Int(min(Int64(scratch.count), position - place.output))
            guard try fill(UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]), inflated) > 0 else {
                throw Self.endsEarly
            }
        }
    }

    /// Inflates into the complete buffer; less only where the data end.
    private func fill(
        _ output: UnsafeMutableRawBufferPointer, _ inflated: borrowing Atomic<Int64>
    ) throws(ArchiveError) -> Int {
        var done = 0
        while done < output.count {
            // Each step ends at the position of a checkpoint, so that checkpoints are evenly spaced.
            let planned = spacing == .max ? output.count - done : Int(spacing - place.output % spacing)
            let room = min(output.count - done, planned)
            let part = UnsafeMutableRawBufferPointer(rebasing: output[done..<(done + room)])
            let step = try self.step(into: part)
            place.output += Int64(step.produced)
            place.input += Int64(step.consumed)
            done += step.produced
            inflated.wrappingAdd(Int64(step.produced), ordering: .relaxed)
            try keepCheckpoint()
            if step.isAtEnd || (step.produced == 0 && step.consumed == 0) { break }
        }
        return done
    }

    private func step(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Inflater.Step {
        if place.input < windowStart || place.input >= windowStart + Int64(window.count) {
            let count = min(Self.inputBlock, storedLength - place.input)
            window = count > 0 ? try contents.read(at: start + place.input, count: Int(count)) : Data()
            windowStart = place.input
        }
        let skipped = Int(place.input - windowStart)
        let inflater = place.inflater
        return try window.withUnsafeBytes { input in
            Result { () throws(ArchiveError) in
                try inflater.step(UnsafeRawBufferPointer(rebasing: input[skipped...]), into: output)
            }
        }.get()
    }

    private func keepCheckpoint() throws(ArchiveError) {
        guard spacing < .max, place.output > 0, place.output % spacing == 0, place.output < length,
            place.output > checkpoints.last?.output ?? 0
        else { return }
        checkpoints.append(
            Place(inflater: try Inflater(copying: place.inflater), output: place.output, input: place.input))
    }

    private static var endsEarly: ArchiveError {
        ArchiveError(.corruptEntry, "The entry does not have the length it declares.")
    }
}
