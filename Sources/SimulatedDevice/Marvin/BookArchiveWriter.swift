import CLibzip
import Glibc

/// Makes ZIP archives with the layout EPUB asks for.
enum BookArchiveWriter {
    /// Writes an archive with these entries in this order; `mimetype` is stored, everything else compressed.
    static func write(_ entries: [(name: String, content: [UInt8])], to path: String) throws(MarvinError) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else {
            throw MarvinError(.system, "The archive cannot be made.", subject: path, nativeCode: code)
        }
        for (name, content) in entries {
            guard add(name, content, to: archive) else {
                zip_discard(archive)
                throw MarvinError(.system, "The archive's entry cannot be added.", subject: name)
            }
        }
        guard zip_close(archive) == 0 else {
            zip_discard(archive)
            throw MarvinError(.system, "The archive cannot be written.", subject: path)
        }
    }

    private static func add(_ name: String, _ content: [UInt8], to archive: OpaquePointer) -> Bool {
        // libzip frees this memory itself, since the archive is only written when it is closed.
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
        // The media type must be readable without inflating anything.
        return name != "mimetype" || zip_set_file_compression(archive, UInt64(index), ZIP_CM_STORE, 0) == 0
    }
}
