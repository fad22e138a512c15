import JSON
import OverlayKit

/// The folders that this program has made on a shelf, kept on the host, so that a deletion removes them again when they are
/// empty, and no folder that a person made.
///
/// For a program that has claimed the shelf. Without storage nothing is kept, and all folders stay.
final class MadeFolders {
    private static let key = "folders.json"
    /// More folders than that are not kept.
    private static let most = 10_000

    private let storage: StorageService
    private let log: LogService
    private(set) lazy var paths: Set<ShelfPath> = load()

    init(_ storage: StorageService, log: LogService) { (self.storage, self.log) = (storage, log) }

    /// Notes folders that are about to be made.
    func note(_ new: [ShelfPath]) {
        let all = paths.union(new)
        guard all.count <= Self.most else { return }
        keep(all)
    }

    /// Forgets folders that are gone.
    func forget(_ gone: [ShelfPath]) { keep(paths.subtracting(gone)) }

    private func keep(_ new: Set<ShelfPath>) {
        guard new != paths else { return }
        paths = new
        let texts = new.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        do throws(OverlayError) {
            try storage.write(.data, Self.key, Array(JSONValue.array(texts.map { .string($0) }).text().utf8))
        } catch {
            log.info("books", "Which folders were made is not kept: \(error.message)")
        }
    }

    private func load() -> Set<ShelfPath> {
        do {
            guard let bytes = try storage.read(.data, Self.key),
                case .array(let texts) = try JSONValue(parsing: bytes)
            else { return [] }
            return Set(texts.prefix(Self.most).compactMap { $0.string.flatMap { ShelfPath($0) } })
        } catch {
            log.info("books", "Which folders were made is not known: \(error)")
            return []
        }
    }
}
