import Diagnostics
import CLibzip
import Glibc

/// A ZIP archive that is open for reading. Each entry is read completely, up to a limit.
struct BookArchive: ~Copyable {
    private let archive: OpaquePointer
    private let subject: String

    /// - Parameter subject: the name of the file in errors.
    init(_ path: String, subject: String) throws(SimulationError) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_RDONLY, &code) else {
            throw SimulationError.invalidBook("it is not a ZIP archive", subject: subject)
        }
        self.archive = archive
        self.subject = subject
    }

    deinit {
        zip_discard(archive)
    }

    /// The content of an entry; nil if there is no entry of that name.
    func read(_ name: String, limit: Int) throws(SimulationError) -> [UInt8]? {
        let index = zip_name_locate(archive, name, 0)
        guard index >= 0 else { return nil }
        guard let file = zip_fopen_index(archive, UInt64(index), 0) else {
            throw SimulationError.invalidBook("\(name) cannot be opened", subject: subject)
        }
        defer { zip_fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = zip_fread(file, &chunk, UInt64(chunk.count))
            if count == 0 { return bytes }
            guard count > 0 else {
                throw SimulationError.invalidBook("\(name) is damaged", subject: subject)
            }
            bytes += chunk.prefix(Int(count))
            guard bytes.count <= limit else {
                throw SimulationError.invalidBook("\(name) is too large", subject: subject)
            }
        }
    }
}

/// Creates ZIP archives with the layout that EPUB requires.
enum BookArchiveWriter {
    /// Writes an archive with these entries in this order. `mimetype` is stored; all other entries are compressed.
    static func write(_ entries: [(name: String, content: [UInt8])], to path: String) throws(SimulationError)
    {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else {
            throw SimulationError(.system, "Cannot create the ZIP archive.", subject: path)
        }
        for (name, content) in entries {
            guard add(name, content, to: archive) else {
                zip_discard(archive)
                throw SimulationError(.system, "Cannot add the entry to the ZIP archive.", subject: name)
            }
        }
        guard zip_close(archive) == 0 else {
            zip_discard(archive)
            throw SimulationError(.system, "Cannot write the ZIP archive.", subject: path)
        }
    }

    private static func add(_ name: String, _ content: [UInt8], to archive: OpaquePointer) -> Bool {
        // libzip frees this memory after it has written the archive, which happens on close.
        guard let memory = malloc(max(content.count, 1)) else { return false }
        content.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { memcpy(memory, base, bytes.count) }
        }
        guard let source = zip_source_buffer(archive, memory, UInt64(content.count), 1) else {
            free(memory)
            return false
        }
        let index = zip_file_add(archive, name, source, 0)
        guard index >= 0 else {
            zip_source_free(source)
            return false
        }
        // EPUB requires the media type to be readable without decompression.
        return name != "mimetype" || zip_set_file_compression(archive, UInt64(index), ZIP_CM_STORE, 0) == 0
    }
}
