import OverlayKit
import UploadPlanning

/// Where an item of an upload goes: the collection that was asked for, or the first one that is known of the book.
struct UploadPlace {
    /// The folder; nil is the shared folder itself.
    private(set) var folder: ShelfPath?
    /// Whether the person asked for that folder.
    private(set) var isAsked = false
    /// What of the collections cannot be done.
    private(set) var remark: String?

    /// - Parameter taken: gets a new folder, so that the next item finds it, however its collection is spelled.
    init(
        _ item: UploadItem, _ wanted: UploadOptions, _ scan: ShelfScan, _ taken: inout TakenNames
    ) throws(OverlayError) {
        let app = scan.options.appName
        let asked = (wanted.collections ?? []).filter { !$0.isEmpty }
        guard scan.options.foldersAreCollections else {
            if !asked.isEmpty { remark = DuplicateMessages.noCollections(app) }
            return
        }
        guard asked.count <= 1 else { throw .oneFolder(app) }
        let own = asked.isEmpty ? item.book.collections ?? [] : []
        guard let name = asked.first ?? own.first, !name.isEmpty else { return }
        let folder = try scan.folder(named: name, taken)
        var level: ShelfPath? = folder
        while let path = level, taken.holder(of: path) == nil {
            taken.take(path)
            level = path.folder
        }
        (self.folder, isAsked) = (folder, !asked.isEmpty)
        if isAsked {
            remark = ShelfScan.keptAs(name, folder)
        } else if own.count > 1 {
            remark =
                "A book can be in only one folder, so it is only in “\(folder.text)”."
        }
    }

    /// What is said of a book whose file stays at a path although another collection was asked for.
    func remark(staying path: ShelfPath) -> String? {
        guard isAsked, let folder else { return remark }
        guard folder != path.folder else { return remark }
        guard let own = path.folder else { return "The book was not moved to “\(folder.text)”." }
        return "The book stays in “\(own.text)” and was not moved to “\(folder.text)”."
    }
}
