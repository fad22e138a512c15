import FoundationEssentials
import Synchronization

/// A deflated entry that is read by ranges. One thread at a time; its reader's lock sees to that.
final class DeflatedEntry {
    /// An inflater and where it is.
    private struct Place {
        /// The inflater, to be copied before it is used if others may come back here.
        var inflater: Inflater
        /// Bytes it has delivered.
        var output: Int64 = 0
        /// Bytes of the data it has used.
        var input: Int64 = 0
    }

    private let contents: ZipContents
    private let start: Int64
    private let storedLength: Int64
    private let length: Int64
    private let spacing: Int64
    private var place: Place
    private var checkpoints: [Place] = []
    /// Data that were read, and where they begin among the entry's data.
    private var window = Data()
    private var windowStart: Int64 = 0

    /// Bytes of compressed data that are read at once.
    private static let inputBlock: Int64 = 128 << 10
    /// Each checkpoint holds about 40 KiB.
    private static let mostCheckpoints: Int64 = 128

    /// - Parameters:
    ///   - start: where the data begin in the archive.
    ///   - keepsCheckpoints: whether an earlier place may be read again.
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

    /// The bytes of a range inside the declared length.
    ///
    /// - Parameter inflated: counts every byte that is inflated for it.
    func bytes(_ range: Range<Int64>, _ inflated: borrowing Atomic<Int64>) throws(ArchiveError) -> Data {
        try go(to: range.lowerBound, inflated)
        var result = Data()
        // Do not allocate by the declared length, which may be wrong.
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

    /// Whether the data end where the inflater is.
    func isAtEnd(_ inflated: borrowing Atomic<Int64>) throws(ArchiveError) -> Bool {
        var byte: UInt8 = 0
        let count = try withUnsafeMutableBytes(of: &byte) { output in
            Result { () throws(ArchiveError) in try fill(output, inflated) }
        }.get()
        return count == 0
    }

    /// Brings the inflater to a position: from where it is, from the nearest checkpoint, or from the beginning.
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

    /// Inflates into the whole buffer; less only where the data end.
    private func fill(
        _ output: UnsafeMutableRawBufferPointer, _ inflated: borrowing Atomic<Int64>
    ) throws(ArchiveError) -> Int {
        var done = 0
        while done < output.count {
            // Ending each step at a checkpoint's place makes the places those that were planned.
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
