import OverlayKit

/// Decides, without a look at the device, what is to happen with each item of an upload.
struct UploadPlanner {
    private let options: UploadOptions
    private var byUUID: [String: LibraryBook] = [:]
    private var byName: [[UInt8]: LibraryBook] = [:]
    /// Names that earlier items of the same upload take.
    private var taken: Set<[UInt8]> = []

    /// - Parameter library: what Marvin has now.
    init(_ options: UploadOptions, library: [LibraryBook]) {
        self.options = options
        for book in library.reversed() {
            if let uuid = book.uuid { byUUID[uuid.lowercased()] = book }
            byName[book.fileName.lowercased().bytes] = book
        }
    }

    /// The decision for one item; items are to be asked for in their order.
    ///
    /// - Parameter size: bytes of the item's file.
    mutating func decide(_ index: Int, _ item: UploadItem, size: UInt64) -> UploadDecision {
        guard let uuid = item.book.uuid, Self.isUsable(uuid) else {
            return .row(
                .failed(
                    index,
                    OverlayError(
                        .invalidArgument, "The book's identifier cannot stand in a file name.",
                        subject: item.book.uuid)))
        }
        let present = byUUID[uuid.lowercased()] ?? byName[(uuid.lowercased() + ".epub").bytes]
        // A book that came by another way keeps the name of its file, or Marvin would have it twice.
        let own = present.map(\.fileName).flatMap { $0.lowercased().hasSuffix(".epub") ? $0 : nil }
        let name = own ?? uuid + ".epub"
        guard taken.insert(name.lowercased().bytes).inserted else {
            return .row(
                .done(
                    index, .skipped, path: name, message: "The same book stands earlier in this upload."))
        }
        if let present {
            switch options.onConflict {
            case .replace: break
            case .update:
                return .row(
                    .failed(
                        index,
                        OverlayError(
                            .notSupported, "The book is in the library, and its metadata cannot be updated.",
                            hint:
                                "Use --on-conflict protect or replace, or set the preference marvin_update_rb to false."
                        ), path: present.fileName))
            default:
                return .row(
                    .done(
                        index, .skipped, path: present.fileName,
                        message: "The book is already in Marvin's library."))
            }
        }
        return .send(
            PlannedUpload(
                index: index, file: item.file, name: name, replaces: present != nil,
                collections: collections(item.book, present: present),
                size: size, uuid: uuid))
    }

    /// Letters, digits, `-` and `_`: anything else has no business in the name of a staged file.
    private static func isUsable(_ uuid: String) -> Bool {
        (1...128).contains(uuid.utf8.count)
            && uuid.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// The asked-for collections, those and the flags that a book to be replaced has, and the mark that Marvin puts on new
    /// books; each once.
    ///
    /// Marvin gives a replaced book only the collections that the command names: what the person made would be lost.
    private func collections(_ book: Book, present: LibraryBook?) -> [String] {
        var seen: Set<String> = [LibraryFlag.new.rawValue]
        let asked = ((options.collections ?? []) + (book.collections ?? [])).map(\.trimmingSpaces)
        let all = asked.filter { !$0.isEmpty } + (present?.collections ?? [])
        return all.filter { seen.insert($0).inserted } + [LibraryFlag.new.rawValue]
    }
}
