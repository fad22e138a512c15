import Diagnostics
import BookFolders
import DeviceDatabases
import OverlayKit

/// GoodReader's own pictures of pages, in a small database for each document.
struct DocumentPreviews {
    /// It is not known whether GoodReader 4 uses this folder of the older app.
    static let folder = "/Library/Application Support/com.goodiware.GoodReader.ASRoot/Previews/0/"
    /// How many previews are in memory at once.
    private static let batch = 64
    /// The most bytes to read of each. The first page is drawn first, so even a large database has its picture near
    /// the beginning.
    private static let limit = 256 << 10

    private let host: HostServices

    init(_ host: HostServices) { self.host = host }

    /// The pictures of first pages, for the files that have one.
    func images(of files: [FoundFile]) throws(OverlayError) -> [ShelfPath: [UInt8]] {
        var images: [ShelfPath: [UInt8]] = [:]
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            try host.cancellation.check()
            let batch = files[start...].prefix(Self.batch).map(\.path)
            for (path, bytes) in try databases(of: batch) {
                if let image = image(in: bytes, of: path) { images[path] = image }
            }
        }
        return images
    }

    /// The databases, or their beginnings. One read is enough if it returns the whole file; otherwise the file is
    /// read again until its end is certain.
    private func databases(of paths: [ShelfPath]) throws(OverlayError) -> [ShelfPath: [UInt8]] {
        var found: [ShelfPath: [UInt8]] = [:]
        var wanted = paths
        for once in [true, false] where !wanted.isEmpty {
            let requests = wanted.map {
                ReadRequest(Self.folder + $0.text, length: UInt64(Self.limit), once: once)
            }
            var incomplete: [ShelfPath] = []
            for (path, result) in zip(wanted, try host.transport.readMany(.container, requests)) {
                switch result {
                case .success(let bytes):
                    found[path] = bytes
                    let isShort = DeviceDatabase.size(in: bytes).map { $0 > bytes.count } ?? true
                    if isShort, bytes.count < Self.limit { incomplete.append(path) }
                case .failure(let error):
                    if [.cancelled, .timedOut, .deviceGone].contains(error.status) { throw error }
                }
            }
            wanted = incomplete
        }
        return found
    }

    /// The picture of the first page; nil if there is none that can be trusted.
    private func image(in bytes: [UInt8], of path: ShelfPath) -> [UInt8]? {
        do throws(DatabaseError) {
            let database = try DeviceDatabase(bytes: bytes, name: "The preview", byteBudget: Self.limit)
            guard try database.tables()["pages"] == true,
                try database.columns(of: "Pages").isSuperset(of: ["pagenum", "thumb"])
            else { return nil }
            var image: [UInt8]?
            try database.rows(
                "SELECT t.\"thumb\" FROM \"Pages\" AS t WHERE t.\"pageNum\" = 1 LIMIT 1", limit: 1
            ) { row throws(DatabaseError) in
                image = try row.bytes(0)
            }
            return image.flatMap { PictureType.mediaType(of: $0) == nil ? nil : $0 }
        } catch {
            host.log.debug(
                GoodReaderOverlay.category, "Cannot read a preview: \(error.message)",
                ["document": path.text])
            return nil
        }
    }
}
