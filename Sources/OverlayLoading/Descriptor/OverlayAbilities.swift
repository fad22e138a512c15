/// The abilities of an overlay, in the words of the commands.
package enum OverlayAbilities {
    /// The commands that its methods and its descriptor support. A device or an app may still not allow a command.
    package static func words(_ descriptor: OverlayDescription, methods: [String]) -> [String] {
        let settable = descriptor.settableMetadata
        let has = Set(methods)
        let abilities: [(String, Bool)] = [
            ("books", has.contains("books")), ("upload", has.contains("upload_books")),
            ("get", has.contains("get_file") || has.contains("prepare_addable_books")),
            ("delete", has.contains("delete_books")),
            ("update", has.contains("sync_booklists") && settable.contains { $0 != "collections" }),
            ("collections", has.contains("sync_booklists") && settable.contains("collections")),
            ("perform", has.contains("perform")), ("two-way sync", has.contains("sync_source")),
        ]
        return abilities.filter(\.1).map(\.0)
    }
}
