import FoundationEssentials
import Libraries
import Platform

/// Writes the annotations of a book beside its copy. Saved annotations are kept if there are none any more, or if the
/// new ones cannot replace them, because there may be no other copy.
struct BackupHighlights: Sendable {
    private let request: BackupRequest
    private let app: String
    private let folder: BackupFolder

    /// - Parameters:
    ///   - app: the name of the app.
    ///   - folder: the backup of the app.
    init(_ request: BackupRequest, app: String, _ folder: BackupFolder) {
        (self.request, self.app, self.folder) = (request, app, folder)
    }

    /// The annotations of a book whose list could be read; `unread` if the request writes none.
    ///
    /// - Parameter canReadWords: whether the words that highlights in PDF files mark can be read.
    static func annotations(
        of book: BookRecord, _ request: BackupRequest, app: String, canReadWords: Bool
    ) -> BackupAnnotations {
        guard let format = request.annotations else { return .unread }
        guard !book.annotations.isEmpty else {
            return PDFBooks.isPDF(book.book) ? .inCopy(canReadWords: canReadWords) : .absent
        }
        let text = format(book, app)
        var hash = FNV1a()
        hash.add(text.markdown.utf8)
        hash.add(0)
        hash.add(text.json.utf8)
        return .listed(mark: Hex.text(hash.value))
    }

    /// The annotations that a step found.
    struct Found {
        /// The book with its annotations.
        var book: BookRecord
        /// What the backup has when these are written.
        var saved: SavedAnnotations
        /// Whether saved ones stay as they are, because it is not known whether there are others.
        var keepsSaved = false
        /// Whether words that highlights mark could not be read.
        var lacksWords = false
        /// Whether this is because a program is not installed.
        var lacksProgram = false
    }

    /// Finds the annotations of a book, if necessary in its copy.
    ///
    /// - Parameters:
    ///   - copy: the path of the copy; nil if there is none.
    ///   - isNew: whether the copy was made in this run.
    ///   - former: the former entry of the book.
    ///   - reader: reads the copy.
    func find(
        _ step: BackupStep, _ book: BookRecord, copy: String?, isNew: Bool, _ former: BackupEntry?,
        _ reader: PDFHighlights
    ) -> Found {
        let before = SavedAnnotations(former?.mark)
        let expected = SavedAnnotations(step.mark)
        switch step.annotations {
        case .app: return Found(book: book, saved: expected)
        case .unknown, .backup: return Found(book: book, saved: expected, keepsSaved: true)
        case .copy: break
        }
        // The app has none. If it had some before, they are gone.
        let wereListed = !before.areOfCopy && former?.hasAnnotations == true
        guard let copy else { return Found(book: book, saved: .noneInCopy, keepsSaved: !wereListed) }
        guard isNew || !step.copiesBook else { return Found(book: book, saved: before, keepsSaved: true) }
        let reading: PDFHighlights.Reading?
        do throws(HostError) {
            reading = try reader.read(copy, title: book.title ?? book.path)
        } catch {
            // The run was cancelled. The next one reads the copy.
            return Found(book: book, saved: isNew ? .unexamined : before, keepsSaved: true)
        }
        guard let reading, reading.isComplete || former?.hasAnnotations != true, !reading.annotations.isEmpty
        else {
            return Found(
                book: book, saved: .noneInCopy, keepsSaved: reading?.isComplete != true && !wereListed)
        }
        var book = book
        book.annotations = reading.annotations
        return Found(
            book: book, saved: .copied(hasWords: !reading.mayImprove), lacksWords: reading.lacksWords,
            lacksProgram: reading.lacksProgram)
    }

    /// Writes annotations and describes the files in the entry of their book.
    ///
    /// - Parameters:
    ///   - entry: the new entry of the book, with the files of the former one.
    ///   - former: the former entry.
    func write(_ found: Found, _ entry: inout BackupEntry, _ former: BackupEntry?) throws(HostError) {
        entry.mark = found.saved.mark(entry.mark)
        let now = Int64(Date().timeIntervalSince1970)
        guard !found.book.annotations.isEmpty, let text = request.annotations?(found.book, app) else {
            guard entry.hasAnnotations else { return }
            if found.keepsSaved, case .copied = found.saved { return }
            entry.highlightsGoneSince = Self.goneSince(former) ?? (found.keepsSaved ? nil : now)
            return
        }
        let (markdown, json) = (Array((text.markdown + "\n").utf8), Array((text.json + "\n").utf8))
        let (goneSince, before) = (Self.goneSince(former), SavedAnnotations(former?.mark))
        let losesWords = found.lacksWords && before == .copied(hasWords: true)
        if goneSince != nil || losesWords || !found.saved.mayReplace(before) {
            for (role, bytes) in [(BackupFile.Role.highlights, markdown), (.annotations, json)] {
                try keepEarlier(role, unless: bytes, goneSince: goneSince ?? now, &entry)
            }
        }
        entry[.highlights] = try folder.write(markdown, .highlights, name: "highlights.md", for: entry)
        entry[.annotations] = try folder.write(json, .annotations, name: "highlights.json", for: entry)
    }

    /// Since when the annotations in the backup are gone from the device, also if they went with the book.
    private static func goneSince(_ former: BackupEntry?) -> Int64? {
        former?.highlightsGoneSince ?? former?.goneSince
    }

    /// Keeps a file of annotations that were gone under another name, before others take its place.
    ///
    /// - Parameter bytes: the new content; if it is the same, there is nothing to keep.
    private func keepEarlier(
        _ role: BackupFile.Role, unless bytes: [UInt8], goneSince: Int64, _ entry: inout BackupEntry
    ) throws(HostError) {
        guard let file = entry[role], Digest.of(bytes, .sha256).map({ Hex.text($0) }) != file.digest else {
            return
        }
        let ending = role == .highlights ? "md" : "json"
        let day = CivilTime(nearestTo: goneSince).date.text
        let name = folder.unusedName(for: file, former: nil, among: entry.files, in: entry.folder) {
            "highlights until \(day)\($0 == 1 ? "" : " (\($0))").\(ending)"
        }
        guard let kept = try folder.keep(file, as: name, in: entry.folder) else { return }
        entry.files.append(kept)
    }
}
