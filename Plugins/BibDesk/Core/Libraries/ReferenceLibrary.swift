import BibTeX
import BookFolders
import OverlayKit

/// One library of the device, as it was read.
struct ReferenceLibrary: Sendable {
    /// Its path below the folder of libraries.
    let path: ShelfPath
    /// What the device said of the file before it was read; nil for a library that is not there yet.
    let file: FoundFile?
    /// What the file holds.
    let document: BibTeXDocument
    /// The same, resolved.
    let resolved: BibTeXLibrary

    /// A library.
    init(_ path: ShelfPath, file: FoundFile?, _ document: BibTeXDocument) {
        self.path = path
        self.file = file
        self.document = document
        resolved = BibTeXLibrary(document)
    }

    /// The names of its entries in order: of several with one key each has its number.
    func entryNames() -> [(index: Int, name: EntryName)] {
        var counts: [String: Int] = [:]
        return resolved.entries.compactMap { index in
            guard let key = resolved.block(index).key else { return nil }
            let number = counts[key.lowercased(), default: 0] + 1
            counts[key.lowercased()] = number
            return (index, EntryName(library: path, key: key, number: number))
        }
    }

    /// The entry of a name; nil if there is none.
    func entry(_ name: EntryName) -> Int? {
        let entries = resolved.entries(name.key)
        return entries.indices.contains(name.number - 1) ? entries[name.number - 1] : nil
    }
}

/// What tells an entry from all others on the device: its library, its cite key, and which of several with that key it is.
struct EntryName: Hashable, Sendable {
    /// The library's path below the folder of libraries.
    let library: ShelfPath
    /// The cite key, in the spelling of the file.
    let key: String
    /// Which entry of this key, from 1.
    let number: Int

    /// The name as the path of a book without a paper: `References.bib#Knuth:1984aa`, and `…#2` at the end of a second entry.
    var text: String { "\(library.text)#\(key)" + (number == 1 ? "" : "#\(number)") }
}
