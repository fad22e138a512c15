import JSON
import OverlayKit

/// The folders that this program created on a shelf, kept on the host. A deletion removes them when they become
/// empty, but never a folder that the user made.
///
/// They are read once. Use only while the program holds the claim. Without storage nothing is recorded, and all
/// folders stay.
final class CreatedFolders {
    private static let key = "folders.json"
    /// The most folders that are recorded.
    private static let most = 10_000

    private let storage: StorageService
    private let log: LogService
    private lazy var folders: NameTable<ShelfPath> = load()
    private lazy var count = folders.values.count

    init(_ storage: StorageService, log: LogService) { (self.storage, self.log) = (storage, log) }

    /// Whether this program created a folder, which the device may list in the other Unicode form.
    func contains(_ folder: ShelfPath) -> Bool { folders[folder.text] != nil }

    /// Records folders that are about to be created. Each call with new folders writes at once, so pass all folders
    /// together.
    func note(_ new: some Collection<ShelfPath>) {
        let new = Set(new).filter { folders.exact($0.text) == nil }
        guard !new.isEmpty, count + new.count <= Self.most else { return }
        for folder in new { folders[folder.text] = folder }
        count += new.count
        save()
    }

    /// Forgets folders that no longer exist.
    func forget(_ gone: some Collection<ShelfPath>) {
        let before = count
        for folder in gone {
            guard let noted = folders[folder.text] else { continue }
            folders[noted.text] = nil
            count -= 1
        }
        if count != before { save() }
    }

    private func save() {
        let texts = folders.values.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        do throws(OverlayError) {
            try storage.write(.data, Self.key, Array(JSONValue.array(texts.map { .string($0) }).text().utf8))
        } catch {
            log.info("books", "Cannot save which folders were created: \(error.message)")
        }
    }

    private func load() -> NameTable<ShelfPath> {
        do {
            guard let bytes = try storage.read(.data, Self.key),
                case .array(let texts) = try JSONValue(parsing: bytes)
            else { return NameTable() }
            let folders = texts.prefix(Self.most).compactMap { $0.string.flatMap { ShelfPath($0) } }
            return NameTable(folders, by: \.text)
        } catch {
            log.info("books", "Cannot read which folders were created: \(error)")
            return NameTable()
        }
    }
}
