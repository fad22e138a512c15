import Formats
import DeviceTransport
import Libraries
import Platform
import Publications

/// Reads the books of a source. A file with an unchanged stamp is not opened.
struct SourceReader {
    /// The source.
    let place: SourcePlace
    private let session: HostSession
    private let request: SyncRequest

    init(_ place: SourcePlace, _ session: HostSession, _ request: SyncRequest) {
        (self.place, self.session, self.request) = (place, session, request)
    }

    /// The options for uploads from this source.
    func uploadOptions() -> UploadRequest {
        var options = UploadRequest(library: request.library, mayLoseMarks: request.mayLoseMarks)
        // These were reported when the source was read.
        options.reportsSidecars = false
        if place.kind == .calibre { options.libraryFolder = place.name }
        return options
    }

    /// The books of a listing, with metadata from the state, from the library, or otherwise from their files.
    ///
    /// - Parameter onDevice: whether the device has a book at a path.
    func read(
        _ listing: SourceListing, _ state: SyncState, onDevice: (String) -> Bool
    ) throws(HostError) -> [SourceBook] {
        var agreed = AgreedBooks(
            state, present: listing.present,
            stamps: { listing.entries.map { ($0.key, $0.stamp) } }, keysAreNames: place.kind == .folder)
        var options = uploadOptions()
        // Plans do not compare covers.
        options.coverRoom = 0
        options.reportsSidecars = true
        let known = try KnownMetadata(session, options, isQuiet: true)
        // A plan has no hints, so no other apps are named.
        let accepted = AcceptedFormats(
            app: session.app.name, extensions: try session.settings().formats, others: { [] })
        var books: [SourceBook] = []
        books.reserveCapacity(listing.entries.count)
        session.link.progress.begin("Checking files", items: UInt64(listing.entries.count))
        for entry in listing.entries {
            session.link.progress.items(UInt64(books.count), of: UInt64(listing.entries.count), phase: nil)
            try session.request.checkCancellation()
            let record = agreed.record(ofUnchanged: entry)
            let description = Self.description(of: entry)
            let said = description.map { known.applied($0) }
            guard entry.problem == nil else {
                books.append(SourceBook(entry, book: said))
                continue
            }
            // After an interrupted run, compare with the complete metadata of the file, because it is unknown which
            // values the app has.
            if let record, record.contentID != nil,
                !record.isPending || said != nil,
                said != nil || record.path.map(onDevice) == true
            {
                books.append(
                    SourceBook(
                        entry.sharing(record), contentID: record.contentID, book: said,
                        format: Self.format(entry.item)))
                continue
            }
            do throws(HostError) {
                let local = try LocalBook(
                    entry.file, accepted, cancellation: session.request.cancellation,
                    known: description == nil ? known : nil)
                // A book that was sent is not replaced by a damaged file. The same file is only kept.
                let former = record ?? state[entry.key]
                let isSent = former?.path.map(onDevice) == true
                if let problem = local.refusal ?? (isSent ? local.replacementProblem : nil),
                    former?.contentID != local.contentID
                {
                    throw problem
                }
                books.append(
                    SourceBook(
                        entry, contentID: local.contentID,
                        book: said ?? local.description?.book ?? Book(),
                        format: local.format?.mediaType.string ?? Self.format(local.name)))
            } catch {
                if error.code == .cancelled { throw error }
                books.append(SourceBook(entry, book: said, problem: error))
            }
        }
        return books
    }

    /// The library's metadata of a book; nil if the source is not a library.
    static func description(of entry: SourceEntry) -> LibraryDescription? {
        guard let book = entry.book else { return nil }
        return LibraryDescription(
            book: book, coverFile: entry.cover?.file,
            columns: entry.columns.map {
                PackageFile.UserColumn(
                    lookupName: $0.lookupName, heading: $0.heading, type: "", value: $0.value.json)
            })
    }

    private static func format(_ file: String) -> String? {
        FileFormat.mediaType(of: LocalBook.fileExtension(of: file))
    }
}
