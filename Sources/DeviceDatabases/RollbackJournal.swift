import OverlayKit

/// The rollback journal of a program that ended in the middle of a transaction (SQLite file format, section 3).
///
/// SQLite on the host undoes the transaction with it. Because it comes from a device and may contain anything, this
/// first checks that SQLite would do nothing else with it.
struct RollbackJournal {
    /// The magic number at the beginning of a journal in use. The same bytes are at the end of a journal that names a
    /// super-journal.
    static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    /// The bytes of the header that are used.
    private static let headerLength = 28

    private let path: String
    private var header: [UInt8] = []
    private var end: [UInt8] = []

    /// Creates an empty journal, to which pieces are added.
    ///
    /// - Parameter path: its path on the device, for errors.
    init(_ path: String) { self.path = path }

    /// Reads the next piece of the journal, in file order, while it is written to the host.
    mutating func add(_ chunk: UnsafeRawBufferPointer) {
        header += chunk.prefix(Self.headerLength - header.count)
        end = Array((end + chunk.suffix(Self.magic.count)).suffix(Self.magic.count))
    }

    /// Refuses a journal that names a file, or that would make the copy larger than a database may be.
    ///
    /// - Parameter name: the name of the database, as the beginning of a sentence.
    func check(_ name: String, largest: UInt64) throws(OverlayError) {
        guard end != Self.magic else {
            throw OverlayError(
                .damaged, "\(name) has an unfinished change that also affects other files.",
                subject: path,
                hint: "Open the app on the device once to finish or undo the change, then try again.")
        }
        guard header.count == Self.headerLength else { return }
        func number(_ place: Int) -> UInt64 { header[place..<place + 4].reduce(0) { $0 << 8 | UInt64($1) } }
        let (bytes, isTooLarge) = number(16).multipliedReportingOverflow(by: number(24))
        guard !isTooLarge, bytes <= largest else {
            throw OverlayError(.damaged, "\(name) is too large.", subject: path)
        }
    }
}
