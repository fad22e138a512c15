import BookModel

extension HostSession {
    /// The collections of the reader app in its order, empty ones as well, each with the paths of its books; nil if the app's
    /// overlay knows only the collections that books name.
    public func collections() throws(HostError) -> [BookCollection]? {
        try require("books")
        do throws(HostError) { return try link.instance.collections() } catch { throw settled(error) }
    }
}
