import CLibzip

/// A ZIP archive open for reading; entries are read whole, up to a limit.
struct BookArchive: ~Copyable {
    private let archive: OpaquePointer
    private let subject: String

    /// - Parameter subject: what errors name.
    init(_ path: String, subject: String) throws(MarvinError) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_RDONLY, &code) else {
            throw MarvinError(
                .invalidBook, "not a valid EPUB (no ZIP archive)", subject: subject, nativeCode: code)
        }
        self.archive = archive
        self.subject = subject
    }

    deinit {
        zip_discard(archive)
    }

    /// The content of an entry; nil when there is none of that name.
    func read(_ name: String, limit: Int) throws(MarvinError) -> [UInt8]? {
        let index = zip_name_locate(archive, name, 0)
        guard index >= 0 else { return nil }
        guard let file = zip_fopen_index(archive, UInt64(index), 0) else {
            throw MarvinError(.invalidBook, "not a valid EPUB (\(name) cannot be opened)", subject: subject)
        }
        defer { zip_fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = zip_fread(file, &chunk, UInt64(chunk.count))
            if count == 0 { return bytes }
            guard count > 0 else {
                throw MarvinError(.invalidBook, "not a valid EPUB (\(name) is damaged)", subject: subject)
            }
            bytes += chunk.prefix(Int(count))
            guard bytes.count <= limit else {
                throw MarvinError(.invalidBook, "not a valid EPUB (\(name) is too large)", subject: subject)
            }
        }
    }
}
