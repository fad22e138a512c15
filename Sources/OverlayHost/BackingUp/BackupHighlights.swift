import FoundationEssentials
import Libraries
import Platform

/// Writes the annotations of a book beside its copy. Saved annotations of which the app has none any more are kept,
/// because there may be no other copy.
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
            return PDFBooks.isReadable(book.book) ? .inCopy(withWords: canReadWords) : .absent
        }
        let text = format(book, app)
        var hash = FNV1a()
        hash.add(text.markdown.utf8)
        hash.add(0)
        hash.add(text.json.utf8)
        return .listed(mark: Hex.text(hash.value))
    }

    /// Writes the annotations of a book and describes the files in its entry.
    ///
    /// - Parameters:
    ///   - areUnread: whether the annotations of the book are not known. Saved ones then stay as they are.
    ///   - entry: the new entry of the book, with the files of the former one.
    func write(
        _ book: BookRecord, areUnread: Bool, _ entry: inout BackupEntry, _ former: BackupEntry?
    ) throws(HostError) {
        guard !book.annotations.isEmpty, let text = request.annotations?(book, app) else {
            guard entry.hasAnnotations else { return }
            let now = Int64(Date().timeIntervalSince1970)
            entry.highlightsGoneSince = Self.goneSince(former) ?? (areUnread ? nil : now)
            return
        }
        let (markdown, json) = (Array((text.markdown + "\n").utf8), Array((text.json + "\n").utf8))
        if let since = Self.goneSince(former) {
            for (role, bytes) in [(BackupFile.Role.highlights, markdown), (.annotations, json)] {
                try keepEarlier(role, unless: bytes, goneSince: since, &entry)
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
