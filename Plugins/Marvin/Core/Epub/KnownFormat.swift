/// Names of formats that people try to upload by mistake, told by their first bytes; only for messages.
enum KnownFormat {
    /// What a file is that is no ZIP archive, as in "This is …".
    static func name(ofFileThatBegins head: [UInt8]) -> String {
        for (offset, magic, name) in magics
        where head.count >= offset + magic.utf8.count && head[offset...].starts(with: magic.utf8) {
            return name
        }
        if head.starts(with: [0x1F, 0x8B]) { return "a gzip file" }
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "a JPEG image" }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "a PNG image" }
        if head.starts(with: [0x37, 0x7A, 0xBC, 0xAF]) { return "a 7z archive" }
        if head.starts(with: [0x50, 0x4B]) { return "a damaged or empty ZIP archive" }
        let text = String(decoding: head, as: UTF8.self).trimmingSpaces.lowercased()
        if text.contains("<html") || text.hasPrefix("<!doctype html") { return "an HTML page" }
        if text.contains("<fictionbook") { return "a FictionBook file" }
        if text.hasPrefix("<?xml") || text.hasPrefix("\u{FEFF}<?xml") { return "an XML file" }
        let isText = !head.contains { $0 == 0 || ($0 < 0x20 && $0 != 9 && $0 != 10 && $0 != 12 && $0 != 13) }
        return isText ? "a plain text file" : "a file of another kind"
    }

    /// What a ZIP archive without a `META-INF/container.xml` is.
    static func name(ofArchiveWith entries: [String], head: [UInt8]) -> String {
        let names = Set(entries)
        if names.contains("word/document.xml") { return "a Word document" }
        if names.contains("xl/workbook.xml") || names.contains("ppt/presentation.xml") {
            return "an Office document"
        }
        if names.contains("META-INF/manifest.xml"), names.contains("content.xml") {
            return "an OpenDocument file"
        }
        if names.contains("META-INF/MANIFEST.MF") { return "a Java archive" }
        let epub = Array("application/epub+zip".utf8)
        if contains(head, epub) {
            return "a ZIP archive that says it is an EPUB but has no META-INF/container.xml"
        }
        let books = entries.filter { $0.lowercased().hasSuffix(".epub") }.count
        if books == 1 { return "a ZIP archive with an EPUB inside" }
        if books > 1 { return "a ZIP archive with \(books) EPUBs inside" }
        let files = entries.filter { !$0.hasSuffix("/") }
        let images = files.filter { name in
            [".jpg", ".jpeg", ".png", ".gif", ".webp"].contains { name.lowercased().hasSuffix($0) }
        }
        if !files.isEmpty, images.count * 10 >= files.count * 9 { return "a comic archive (CBZ)" }
        return "a ZIP archive without META-INF/container.xml"
    }

    private static let magics: [(Int, String, String)] = [
        (0, "%PDF-", "a PDF document"), (60, "BOOKMOBI", "a Kindle book (MOBI)"),
        (60, "TEXtREAd", "a PalmDOC file"),
        (0, "{\\rtf", "an RTF document"), (0, "ITSF", "a CHM help file"), (0, "ITOLITLS", "a LIT book"),
        (0, "AT&TFORM", "a DjVu document"), (0, "Rar!", "a RAR archive"),
        (0, "CONT", "a Kindle container (KFX)"),
        (257, "ustar", "a tar archive"), (4, "ftyp", "an MP4 file"), (0, "ID3", "an MP3 file"),
        (0, "SQLite format 3", "an SQLite database"),
    ]

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }
}
