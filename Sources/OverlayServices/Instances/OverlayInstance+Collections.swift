import BookModel
import HostContract
import HostErrors
import OverlayABI

extension OverlayInstance {
    /// The collections of the reader app with their books, empty ones as well; nil if the overlay knows only those that books
    /// name.
    package func collections() throws(HostError) -> [BookCollection]? {
        guard overlay.implements(.collections) else { return nil }
        let frame = CallFrame(.collections)
        let collector = CollectionCollector()
        frame.collections = collector
        try perform(.collections, frame) { call, _ in
            call.add(pointerTo: sinks.collection)
        }.check()
        return collector.collections
    }
}
