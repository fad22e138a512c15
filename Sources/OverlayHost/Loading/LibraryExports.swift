/// What a library shows to others, read from its file without running any of it.
package enum LibraryExports {
    /// The names of the symbols that the library at `path` exports. Throws why it is none, or cannot be trusted.
    package static func names(_ path: String) throws(OverlayRefusal) -> [String] {
        let source = try SourceFile(path)
        defer { source.close() }
        do {
            return try ELFImage(size: UInt64(source.status.st_size)) { source.bytes($0, $1) }.exportedSymbols
        } catch {
            throw OverlayRefusal(.notALibrary, "The file \(error.clause).")
        }
    }
}
