import Diagnostics

/// Prints calls as lines while they happen, using a recorder that does not keep them.
///
/// Unchecked: only its own recorder uses it, on one thread at a time.
package final class CallPrinter: @unchecked Sendable {
    private var listing: TraceListing
    private let plans = RecordedPlans()
    private let write: @Sendable (String) -> Void

    private init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
        // Hides the same bodies as the original's log, which they would fill.
        listing = TraceListing(
            TraceText(
                TraceText.Amount(bytes: 4096, elements: 4),
                hiding: ["description", "cover", "thumbnail", "comments"]),
            TraceListing.Style(hasTimes: false))
    }

    /// A recorder that converts records to lines for `write`, on the thread of the call.
    package static func recorder(_ write: @escaping @Sendable (String) -> Void) -> TraceRecorder {
        let printer = CallPrinter(write)
        return TraceRecorder(limits: TraceLimits(bytes: 64 << 10, text: 64 << 10)) { printer.take($0) }
    }

    private func take(_ record: UnsafeRawBufferPointer) {
        let head = Array(record.prefix(TraceFormat.recordSize))
        let body = Array(record.dropFirst(TraceFormat.recordSize))
        do throws(TraceError) {
            guard let event = try plans.event(head, body, isUnfinished: false) else { return }
            for line in listing.lines(event) { write(CommandText.shortened(line)) }
        } catch {
            write(error.message)
        }
    }
}

/// The text of commands for reader apps, in the form for logs.
package enum CommandText {
    /// Elements whose content would fill a log without being useful.
    private static let hidden = ["description", "cover"]

    /// The text with the content of each `<description>` and `<cover>` replaced by its length.
    package static func shortened(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        var bytes = Array(text.utf8)
        for name in hidden { bytes = shortened(bytes, name) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func shortened(_ bytes: [UInt8], _ name: String) -> [UInt8] {
        let (opening, closing) = (Array("<\(name)".utf8), Array("</\(name)>".utf8))
        var result: [UInt8] = []
        var place = 0
        while let start = find(opening, in: bytes, from: place) {
            let after = start + opening.count
            guard after < bytes.count, let end = bytes[after...].firstIndex(of: UInt8(ascii: ">")) else {
                break
            }
            let isElement = bytes[after] == UInt8(ascii: ">") || bytes[after] == UInt8(ascii: " ")
            guard isElement, bytes[end - 1] != UInt8(ascii: "/"),
                let close = find(closing, in: bytes, from: end)
            else {
                result += bytes[place..<after]
                place = after
                continue
            }
            result += bytes[place...end]
            result += Array("(\(close - end - 1) bytes)".utf8)
            place = close
        }
        return result + bytes[place...]
    }

    private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= wanted.count, start <= bytes.count - wanted.count else { return nil }
        return (start...bytes.count - wanted.count).first { place in
            bytes[place] == wanted[0] && bytes[place..<place + wanted.count].elementsEqual(wanted)
        }
    }
}
