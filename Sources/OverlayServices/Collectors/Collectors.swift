import BookModel
import Diagnostics
import HostContract
import HostErrors
import OverlayABI
import OverlayBridge
import OverlayLoading

/// Collects the books of `books`.
final class BookCollector {
    private var checker = BookChecker()
    /// The books received so far.
    private(set) var books = BookList()
    /// The number of books. Stored separately, because reading it from the list for each book would copy the list.
    private(set) var count = 0

    @inline(__always)
    func put(_ pointer: UnsafePointer<ovl_book>) throws(ContractBreach) {
        guard count < BoundaryLimits.books else {
            throw ContractBreach(.limit, "There are more than \(BoundaryLimits.books) books.")
        }
        var record = try ovl_book.read(pointer)
        try books.append(&record, &checker)
        count += 1
    }
}

/// Collects the results of `collections` in order.
final class CollectionCollector {
    /// The bytes that count for each collection and each of its paths, in addition to their texts.
    private static let overhead = 64

    /// The collections received so far.
    private(set) var collections: [BookCollection] = []
    private var bytes = 0

    func put(_ pointer: UnsafePointer<ovl_collection>) throws(ContractBreach) {
        let record = try ovl_collection.read(pointer)
        guard collections.count < BoundaryLimits.books else {
            throw ContractBreach(.limit, "There are more than \(BoundaryLimits.books) collections.")
        }
        let name = try record.name.readRequired("collection.name")
        let kind = try record.kind.readRequired("collection.kind", limit: BoundaryLimits.path)
        let books = try record.books.read("collection.books", limit: BoundaryLimits.books) ?? []
        bytes += name.utf8.count + kind.utf8.count + Self.overhead
        bytes += books.reduce(0) { $0 + $1.utf8.count + Self.overhead }
        guard bytes <= BoundaryLimits.booklistBytes else {
            throw ContractBreach(
                .limit, "The collections are larger than \(BoundaryLimits.booklistBytes) bytes.")
        }
        collections.append(BookCollection(name, BookCollection.Kind(rawValue: kind), books: books))
    }
}

/// Collects the rows of a method for `count` items.
final class RowCollector {
    private let method: OverlayMethod
    private let fetchedFile: (UInt64) -> String?
    private let reported: ((Int, OverlayRow) -> Void)?
    /// The row of each item.
    private(set) var rows: [OverlayRow?]
    /// The number of items with a row.
    private(set) var count = 0

    /// - Parameters:
    ///   - reported: called with each accepted row.
    ///   - fetchedFile: the path of a file that `pull` provided during this call; nil for other numbers.
    init(
        _ method: OverlayMethod, count: Int, reported: ((Int, OverlayRow) -> Void)? = nil,
        fetchedFile: @escaping (UInt64) -> String? = { _ in nil }
    ) {
        self.method = method
        self.reported = reported
        self.fetchedFile = fetchedFile
        rows = Array(repeating: nil, count: count)
    }

    /// Adds an item for which a row may follow.
    func expectOneMore() { rows.append(nil) }

    func put(_ pointer: UnsafePointer<ovl_item_result>) throws(ContractBreach) {
        let record = try ovl_item_result.read(pointer)
        guard record.index < UInt64(rows.count) else {
            throw ContractBreach(
                .rowIndex, "The row index \(record.index) is out of range; there are \(rows.count) items.")
        }
        let index = Int(record.index)
        guard rows[index] == nil else { throw ContractBreach(.rowTwice, "Item \(index) has two rows.") }
        guard let outcome = ItemStatus(outcome: record.outcome), method.outcomes.contains(outcome) else {
            throw ContractBreach(
                .rowOutcome, "The outcome \(record.outcome) of item \(index) is not valid for this method.")
        }
        guard (record.status == OVL_OK) == (outcome != .failed) else {
            throw ContractBreach(
                .rowOutcome, "Status \(record.status) of item \(index) contradicts the outcome \(outcome).")
        }
        var row = OverlayRow(outcome: outcome)
        row.path = try record.path.read("path", limit: BoundaryLimits.path)
        row.message = record.message.readMessage()
        row.hint = record.hint.readMessage()
        row.hintCode = HintCode(flags: record.flags, status: record.status)
        if outcome == .failed {
            row.code = HostError.Code(status: record.status)
            if record.domain != OVL_DOMAIN_NONE {
                row.native = NativeCode(.init(abi: record.domain), record.native_code)
            }
            if row.message == nil { row.message = "The overlay gave no reason (status \(record.status))." }
        }
        if [.added, .updated, .replaced].contains(outcome), method == .uploadBooks, row.path == nil {
            throw ContractBreach(.rowPath, "Item \(index) is \(outcome) without a path.")
        }
        if outcome == .fetched, method == .prepareAddableBooks {
            guard let file = fetchedFile(record.file) else {
                throw ContractBreach(
                    .rowFile, "The file \(record.file) of item \(index) was not returned by pull.")
            }
            row.file = file
        }
        rows[index] = row
        count += 1
        reported?(index, row)
    }

    /// Checks that there is a row for every item, as required after success.
    func checkComplete() throws(ContractBreach) {
        guard method.rowsAreComplete else { return }
        let missing = rows.indices.filter { rows[$0] == nil }
        guard let first = missing.first else { return }
        throw ContractBreach(
            .rowMissing,
            "It succeeded without a row for \(missing.count) of \(rows.count) items, first \(first).")
    }
}

/// Collects the edits of a list of books.
final class EditCollector {
    private let count: Int
    // An array may reserve twice the required memory, and each text of a book has its own allocation.
    private var checker = BookChecker(
        perRecord: 2 * MemoryLayout<BooklistEdit>.stride + 16 * 32,
        perElement: MemoryLayout<String>.stride + 32)
    private var touched: Set<Int> = []
    private(set) var edits: [BooklistEdit] = []

    /// - Parameter count: the number of books in the snapshot.
    init(count: Int) { self.count = count }

    func put(_ pointer: UnsafePointer<ovl_booklist_edit>) throws(ContractBreach) {
        let record = try ovl_booklist_edit.read(pointer)
        guard edits.count < BoundaryLimits.books else {
            throw ContractBreach(.limit, "There are more than \(BoundaryLimits.books) edits.")
        }
        switch record.kind {
        case OVL_EDIT_INSERT: edits.append(.insert(try book(record)))
        case OVL_EDIT_REPLACE: edits.append(.replace(try index(record.index), try book(record)))
        case OVL_EDIT_REMOVE: edits.append(.remove(try index(record.index)))
        default: throw ContractBreach(.edit, "The kind \(record.kind) of an edit does not exist.")
        }
    }

    private func book(_ edit: ovl_booklist_edit) throws(ContractBreach) -> Book {
        // The copy is zero after the outer record, and bytes after the end of the book do not belong to it.
        let record = try withUnsafePointer(to: edit.book) { book throws(ContractBreach) in
            try ovl_book.read(book)
        }
        return try checker.check(record).book
    }

    private func index(_ index: UInt64) throws(ContractBreach) -> Int {
        guard index < UInt64(count) else {
            throw ContractBreach(
                .edit, "The index \(index) of an edit is out of range; the snapshot has \(count) books.")
        }
        guard touched.insert(Int(index)).inserted else {
            throw ContractBreach(.edit, "Book \(index) is edited twice.")
        }
        return Int(index)
    }
}

/// Accepts the single answer of `can_handle`.
final class PresenceCollector {
    private(set) var answer: Presence?

    func put(_ pointer: UnsafePointer<ovl_presence>) throws(ContractBreach) {
        guard answer == nil else { throw ContractBreach(.resultTwice, "It gave a second answer.") }
        answer = try Presence(checked: try ovl_presence.read(pointer))
    }
}

/// Accepts the single record of `settings`.
final class SettingsCollector {
    private let descriptor: OverlayDescription
    private(set) var settings: AppAbilities?

    /// - Parameter descriptor: provides the values that the record does not have.
    init(_ descriptor: OverlayDescription) { self.descriptor = descriptor }

    func put(_ pointer: UnsafePointer<ovl_settings>) throws(ContractBreach) {
        guard settings == nil else { throw ContractBreach(.resultTwice, "It put its settings twice.") }
        settings = try AppAbilities(try ovl_settings.read(pointer), descriptor)
    }
}

/// Passes the bytes of a file to a receiver.
final class BytesCollector {
    private let receive: (UnsafeRawBufferPointer) throws -> Void
    /// The total number of bytes; nil until the sender reports it.
    private(set) var total: UInt64?
    /// The number of bytes received.
    private(set) var count: UInt64 = 0
    /// The error of the receiver.
    private(set) var failure: (any Error)?

    init(_ receive: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.receive = receive }

    func put(_ chunk: UnsafePointer<ovl_bytes>, offset: UInt64, total: UInt64) throws(ContractBreach) {
        guard UInt(bitPattern: chunk) != 0 else {
            throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_bytes.")
        }
        guard offset == count else {
            throw ContractBreach(.chunk, "A chunk begins at \(offset) instead of \(count).")
        }
        if total != OVL_UNKNOWN {
            if let known = self.total, known != total {
                throw ContractBreach(.total, "The total changed from \(known) to \(total) bytes.")
            }
            self.total = total
        }
        guard let bytes = try chunk.pointee.borrowed("chunk", limit: Int.max) else { return }
        let sum = count.addingReportingOverflow(UInt64(bytes.count))
        guard !sum.overflow, sum.partialValue <= self.total ?? .max else {
            throw ContractBreach(.total, "More bytes arrived than the announced \(self.total ?? 0).")
        }
        count = sum.partialValue
        do { try receive(bytes) } catch { failure = error }
    }

    /// Checks that the announced number of bytes arrived, as required after success.
    func checkComplete() throws(ContractBreach) {
        if let total, total != count {
            throw ContractBreach(.total, "Only \(count) of \(total) bytes arrived.")
        }
    }
}
