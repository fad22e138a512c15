import Archives
import OverlayKit

/// Packs an unpacked book into a single file, which is passed on while it is made.
///
/// The order follows OCF 3.3, 4.3: `mimetype` first and uncompressed, then `META-INF`, then the rest.
struct BookPacker {
    /// Files up to this size are read many at once and written with their length in front.
    private static let small: UInt64 = 1 << 20
    /// The bytes of small files in memory at once.
    private static let batchBytes: UInt64 = 8 << 20
    private static let batchFiles = 64
    /// Extensions of files that are already compressed.
    private static let compressed: Set<String> = [
        "jpg", "jpeg", "png", "gif", "webp", "mp3", "m4a", "m4v", "mp4", "mov", "aac", "ogg", "woff", "woff2",
        "zip",
    ]

    let host: HostServices
    /// The book's folder in the media folder.
    let folder: String
    let format: BookFormat

    /// Passes the archive to the closure, piece by piece.
    func pack(
        _ each: (UnsafeRawBufferPointer, UInt64, UInt64?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let tree = try FolderTree(host, folder)
        remark(tree)
        let files = tree.files.filter { FolderTree.isContent($0.path) }
        guard !files.isEmpty else {
            throw OverlayError(.damaged, "The book's folder is empty.", subject: folder)
        }
        let writer = ZipWriter()
        var sent: UInt64 = 0
        func send(_ make: () throws(ArchiveError) -> [UInt8]) throws(OverlayError) {
            let bytes: [UInt8]
            do throws(ArchiveError) { bytes = try make() } catch {
                throw OverlayError(
                    .damaged, "Cannot assemble the book: \(error.message)", subject: error.subject)
            }
            guard !bytes.isEmpty else { return }
            let result: Result<Void, OverlayError> = bytes.withUnsafeBytes { buffer in
                Result { () throws(OverlayError) in try each(buffer, sent, nil) }
            }
            try result.get()
            sent += UInt64(bytes.count)
        }
        let type = Array(format.mediaType.utf8)
        try send { () throws(ArchiveError) in try writer.add("mimetype", type, .stored) }
        let ordered =
            files.filter { $0.path.text.hasPrefix("META-INF/") }
            + files.filter { !$0.path.text.hasPrefix("META-INF/") }
        var batch: [FolderTree.File] = []
        var bytes: UInt64 = 0
        func flush() throws(OverlayError) {
            for (file, content) in zip(batch, try contents(batch)) {
                try send { () throws(ArchiveError) in
                    try writer.add(file.path.text, content, Self.compression(file), modified: file.modified)
                }
            }
            (batch, bytes) = ([], 0)
        }
        for file in ordered {
            if file.size > Self.small {
                try flush()
                try sendLarge(file, writer, send)
                continue
            }
            if bytes + file.size > Self.batchBytes || batch.count == Self.batchFiles { try flush() }
            batch.append(file)
            bytes += file.size
        }
        try flush()
        try send { () throws(ArchiveError) in try writer.finish() }
    }

    /// Logs that a book is protected.
    static func remark(_ host: HostServices, _ path: String) {
        host.log.warning("ibooks", "This book is protected. The copy opens only in Books.", ["book": path])
    }

    private func remark(_ tree: FolderTree) {
        if tree.file("META-INF/sinf.xml") != nil { Self.remark(host, folder) }
        for path in tree.strange {
            host.log.warning(
                "ibooks",
                "A part of the book was left out because it is not a file or its name is invalid.",
                ["part": path])
        }
    }

    private static func compression(_ file: FolderTree.File) -> ZipWriter.Compression {
        compressed.contains(file.path.fileExtension) ? .stored : .deflated
    }

    /// The complete contents of small files.
    private func contents(_ files: [FolderTree.File]) throws(OverlayError) -> [[UInt8]] {
        guard !files.isEmpty else { return [] }
        // Reading one byte more than the size shows whether a file has grown.
        let requests = files.map { ReadRequest(folder + "/" + $0.path.text, length: $0.size + 1) }
        var contents: [[UInt8]] = []
        for (file, result) in zip(files, try host.transport.readMany(.media, requests)) {
            let bytes = try result.get()
            guard UInt64(bytes.count) == file.size else { throw changed(file, UInt64(bytes.count)) }
            contents.append(bytes)
        }
        return contents
    }

    private func sendLarge(
        _ file: FolderTree.File, _ writer: ZipWriter,
        _ send: (() throws(ArchiveError) -> [UInt8]) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try send { () throws(ArchiveError) in
            try writer.begin(
                file.path.text, Self.compression(file), expecting: file.size, modified: file.modified)
        }
        var received: UInt64 = 0
        try host.transport.read(.media, folder + "/" + file.path.text) { chunk, _, _ throws(OverlayError) in
            received += UInt64(chunk.count)
            guard received <= file.size else { throw changed(file, received) }
            try send { () throws(ArchiveError) in try writer.append(chunk) }
        }
        guard received == file.size else { throw changed(file, received) }
        try send { () throws(ArchiveError) in try writer.end() }
    }

    private func changed(_ file: FolderTree.File, _ received: UInt64) -> OverlayError {
        OverlayError(
            .verificationFailed, "Received only \(received) of \(file.size) bytes of a part of the book.",
            subject: folder + "/" + file.path.text,
            hint: "Try again. If it fails again, the book on the device is damaged.", retryable: true)
    }
}
