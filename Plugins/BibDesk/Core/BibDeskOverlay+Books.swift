import BookFolders
import BibTeX
import OverlayKit

extension BibDeskOverlay: ListsBooks {
    /// Lists the references with papers, library by library.
    public func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        let settings = try preferences()
        let list = try references(settings)
        let withFields = options.withAnnotations || options.wanted != nil
        var names: (library: String, byEntry: [Int: [String]]) = ("", [:])
        for (place, reference) in list.books.enumerated() {
            if place % 1_000 == 0 {
                try host.cancellation.check()
                host.progress.report(place, of: list.books.count, phase: "Reading references")
            }
            guard ReferenceList.isListed(reference, settings) else { continue }
            if names.library != reference.library.path.text {
                let groups = LibraryGroups(reference.library, kinds: settings.kinds, clock: groupClock())
                names = (reference.library.path.text, groups.namesByEntry)
            }
            let collections = names.byEntry[reference.entry] ?? []
            try each(reference.book(collections: collections, withFields: withFields))
        }
    }
}

extension BibDeskOverlay: ListsCollections {
    /// Lists the groups of all libraries. Groups with the same name and kind in several libraries are one.
    public func collections(each: (BookCollection) throws(OverlayError) -> Void) throws(OverlayError) {
        let settings = try preferences()
        let list = try references(settings)
        var paths: [EntryPlace: String] = [:]
        for reference in list.books where ReferenceList.isListed(reference, settings) {
            paths[EntryPlace(library: reference.library.path.text, entry: reference.entry)] = reference.path
        }
        var order: [BookCollection] = []
        var places: [BookCollection: Int] = [:]
        for library in list.device.libraries {
            try host.cancellation.check()
            for group in LibraryGroups(library, kinds: settings.kinds, clock: groupClock()).all() {
                let books = group.entries.compactMap {
                    paths[EntryPlace(library: library.path.text, entry: $0)]
                }
                if group.kind == .smart, !group.isKnown {
                    host.log.warning(
                        BibDeskSettings.logCategory,
                        "The smart group '\(group.name)' has a condition that OverlayHost does not know, so it is shown "
                            + "without references.", ["file": library.path.text])
                }
                // Groups by keyword and author consist of references, so they are not shown if none of these is
                // listed.
                if books.isEmpty, [.keyword, .author].contains(group.kind) { continue }
                let empty = BookCollection(group.name, group.kind)
                if let place = places[empty] {
                    order[place].books += books
                } else {
                    places[empty] = order.count
                    order.append(BookCollection(group.name, group.kind, books: books))
                }
            }
        }
        for collection in order { try each(collection) }
    }

    /// An entry of a library.
    private struct EntryPlace: Hashable {
        let library: String
        let entry: Int
    }
}
