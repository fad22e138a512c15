import Archives
import Formats
import FoundationEssentials

/// A publication in a ZIP archive, with a list of the parts that could not be read.
///
/// Used by one reader on one thread. Covers from it may be read from any thread.
final class PublicationArchive {
    private let zip: ZipArchive
    /// The parts that could not be read, in the order they were found.
    var shortcomings: [Shortcoming] = []

    /// Opens the archive by its directory. If it has none, opens the intact files at its beginning.
    init(_ input: PublicationInput) throws(PublicationError) {
        let first: ArchiveError
        do throws(ArchiveError) {
            zip = try ZipArchive.open(source: BorrowedByteSource(input.source))
            return
        } catch {
            first = error
        }
        let failure = PublicationArchive.failure(first, subject: input.name)
        guard first.code == .notAnArchive || first.code == .malformed else { throw failure }
        let beginning = try input.bytes(at: 0, count: SalvagedArchive.mostBytes)
        guard let salvaged = SalvagedArchive(beginning: beginning) else { throw failure }
        do throws(ArchiveError) {
            zip = try ZipArchive.open(source: DataByteSource(salvaged.bytes))
        } catch {
            throw failure
        }
        let files = salvaged.count == 1 ? "the first file" : "the first \(salvaged.count) files"
        note(.damagedPart, "", "\(first.message) Only \(files) can be read.")
    }

    /// Wraps an archive that is already open. The caller closes it.
    init(_ zip: ZipArchive) { self.zip = zip }

    /// The files of the archive, in archive order.
    var entries: ZipEntries { zip.entries }

    /// The file with that path.
    func entry(_ path: String) -> ZipEntry? { zip.entry(path) }

    /// The file that a reference in the file `base` means.
    ///
    /// Also accepts a reference that differs from an entry's path only in case.
    func entry(for reference: String, relativeTo base: String) -> ZipEntry? {
        let paths = EntryPath.candidates(for: reference, relativeTo: base)
        for path in paths {
            if let entry = zip.entry(path) { return entry }
        }
        for path in paths {
            if let entry = firstEntry(where: { $0.equals(ignoringCase: path) }) { return entry }
        }
        return nil
    }

    /// The first entry whose path matches, in archive order.
    func firstEntry(where fits: (String) -> Bool) -> ZipEntry? {
        zip.entries.first { fits($0.path) }
    }

    /// Reads a part with metadata, at most the first `limit` bytes.
    ///
    /// Problems become shortcomings; nil if nothing can be read. A part with a wrong checksum is read anyway, because
    /// its text is probably still useful.
    func part(_ entry: ZipEntry, limit: Int) -> Data? {
        let path = entry.path
        do {
            guard entry.length > Int64(limit) else { return try zip.read(entry) }
            note(.tooLarge, path, "It has \(entry.length) bytes; only the first \(limit) were read.")
            return try zip.read(entry, range: 0..<Int64(limit))
        } catch {
            note(error.code == .encrypted ? .encrypted : .unreadablePart, path, error.message)
            guard error.code == .corruptEntry else { return nil }
        }
        do {
            let data = try zip.read(entry, range: 0..<min(entry.length, Int64(limit)))
            return data.isEmpty ? nil : data
        } catch {
            // The first shortcoming already describes the problem.
            return nil
        }
    }

    /// Reads the beginning of a part. A failure returns nil and is not reported.
    func beginning(_ entry: ZipEntry, limit: Int) -> Data? {
        do {
            return try zip.read(entry, range: 0..<min(entry.length, Int64(limit)))
        } catch {
            return nil
        }
    }

    /// Adds a shortcoming.
    func note(_ code: Shortcoming.Code, _ subject: String, _ message: String) {
        shortcomings.append(Shortcoming(code, subject: subject, message: message))
    }

    /// The entry as the cover; nil, with a shortcoming, if it is encrypted.
    func cover(_ entry: ZipEntry, type: MediaType) -> Cover? {
        let path = entry.path
        guard !entry.isEncrypted else {
            note(.encrypted, path, "The cover is encrypted.")
            return nil
        }
        let zip = zip
        return Cover(mediaType: type, href: path, size: entry.length) { () throws(PublicationError) in
            do throws(ArchiveError) {
                return try zip.read(entry)
            } catch {
                throw PublicationArchive.failure(error, subject: path)
            }
        }
    }

    private static func failure(_ error: ArchiveError, subject: String?) -> PublicationError {
        let code: PublicationError.Code
        switch error.code {
        case .unreadable, .closed: code = .unreadable
        case .encrypted: code = .encrypted
        case .tooLarge: code = .tooLarge
        case .notFound: code = .notFound
        case .unsupported: code = .unsupportedFormat
        default: code = .damaged
        }
        return PublicationError(
            code, "Cannot read the file: \(error.message)", subject: subject, hint: error.hint,
            underlying: error)
    }
}
