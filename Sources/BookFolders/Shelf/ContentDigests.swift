import OverlayKit
import Platform

/// Compares all bytes of files, because different files may have the same beginning and end.
///
/// A file that this host has sent is recognised by the host's id of its content. Others are compared by digest. The
/// digest of a file on the device is kept with the file's size and time, so that it is read only once. Use on the
/// device thread.
final class ContentDigests {
    private let scan: ShelfScan
    private var ours: [UInt64: String] = [:]
    private var host: HostServices { scan.shelf.host }

    init(_ scan: ShelfScan) { self.scan = scan }

    /// Whether a file of the host has exactly the bytes of a file on the device with the same fingerprint.
    ///
    /// - Parameter contentID: the host's id for the content of the host's file.
    func isSame(
        _ item: HostFile, size: UInt64, contentID: String?, as file: FoundFile
    ) throws(OverlayError) -> Bool {
        if ContentFingerprint.isWhole(size: size) { return true }
        if let contentID, let known = scan.cache.entry(of: file)?.contentID { return contentID == known }
        guard try digest(of: file) == digest(of: item) else { return false }
        if let contentID, var entry = scan.cache.entry(of: file) {
            entry.contentID = contentID
            scan.cache.set(entry)
        }
        return true
    }

    /// The digest of a file of the host.
    private func digest(of item: HostFile) throws(OverlayError) -> String {
        if let known = ours[item.rawValue] { return known }
        let digest = Digest(.sha256)
        try host.transport.localRead(item) { chunk, _, _ in digest.add(chunk) }
        let text = Hex.text(try digest.finished())
        ours[item.rawValue] = text
        return text
    }

    /// A key that only items with the same bytes share; a digest if the host does not provide one.
    func content(of item: UploadItem) throws(OverlayError) -> String {
        if let known = item.book.contentID { return known }
        return try digest(of: item.file)
    }

    /// The digest of a file on the device, which is read completely unless it was before.
    private func digest(of file: FoundFile) throws(OverlayError) -> String {
        if let known = scan.cache.entry(of: file)?.digest { return known }
        host.progress.report(0, of: nil, phase: "Comparing '\(file.path.name)' with the books on the device")
        let digest = Digest(.sha256)
        var count: UInt64 = 0
        let place = scan.shelf.place
        try host.transport.read(place.root, place.path(file.path), offset: 0, length: file.size) {
            chunk, _, _ in
            count += UInt64(chunk.count)
            digest.add(chunk)
        }
        guard count == file.size else {
            throw OverlayError(
                .verificationFailed, "The file changed while it was being compared.", subject: file.path.text,
                hint: "Try again.", retryable: true)
        }
        let text = Hex.text(try digest.finished())
        var entry = scan.cache.entry(of: file) ?? CachedFile(file)
        entry.digest = text
        scan.cache.set(entry)
        return text
    }
}
