/// Names of bibliographies.
package enum LibraryName {
    /// Whether a file with this name is a bibliography: not a hidden file, and not a Mac's copy of unsaved changes.
    package static func isLibrary(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".bib") && !name.hasPrefix(".") && !name.hasSuffix("(autosaved).bib")
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}
