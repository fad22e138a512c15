import BibTeX
import BookFolders
import OverlayKit

/// A library on the device that has been read.
struct ReferenceLibrary: Sendable {
    /// Its path relative to the folder of libraries.
    let path: ShelfPath
    /// The file as it was before it was read; nil for a library that does not exist yet.
    let file: FoundFile?
    /// Its content.
    let document: BibTeXDocument
    /// The resolved content.
    let resolved: BibTeXLibrary

    /// Creates a library with this content.
    init(_ path: ShelfPath, file: FoundFile?, _ document: BibTeXDocument) {
        self.path = path
        self.file = file
        self.document = document
        resolved = BibTeXLibrary(document)
    }

    /// The names of its entries in order. Entries with the same key are numbered.
    func entryNames() -> [(index: Int, name: EntryName)] {
        var counts: [String: Int] = [:]
        return resolved.entries.compactMap { index in
            guard let key = resolved.block(index).key else { return nil }
            let number = counts[key.lowercased(), default: 0] + 1
            counts[key.lowercased()] = number
            return (index, EntryName(library: path, key: key, number: number))
        }
    }
}

/// Identifies an entry on the device: by its library, its cite key, and its number among those with that key.
struct EntryName: Hashable, Sendable {
    /// The library's path relative to the folder of libraries.
    let library: ShelfPath
    /// The cite key, in the spelling of the file.
    let key: String
    /// The number among the entries with this key, from 1.
    let number: Int

    /// The name as the path of a book without a paper: `References.bib#Knuth:1984aa`, with `#2` at the end for a
    /// second entry.
    var text: String { "\(library.text)#\(key)" + (number == 1 ? "" : "#\(number)") }
}
