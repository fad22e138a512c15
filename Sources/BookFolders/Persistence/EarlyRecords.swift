import OverlayKit
import Platform

/// The records about a shelf that are parsed on another thread while the device lists the folders of the shelf.
///
/// The documents are read on the device thread, as the contract requires, and only until they have a few megabytes, so
/// that the records of a large library are never in memory as text. If another program replaces a document of the cache
/// afterwards, the earlier one is used, as if the cache had been loaded at that time. ``MetadataCache`` and ``BookNotes`` load the
/// other documents themselves, and also those that are damaged. Use on the device thread.
final class EarlyRecords {
    /// The number of bytes after which no more documents are parsed early.
    static let enough = 4 << 20
    /// The number of bytes for which a thread is worthwhile.
    static let worthThread = 64 << 10

    /// The files in a document of the cache.
    struct Files: Sendable {
        var files: [CachedFile] = []
        /// The reason why some of its files cannot be read; nil if it is intact.
        var problem: String?
    }

    private struct Parsed: Sendable {
        var files: [String: Files] = [:]
        var notes: [String: [DatedNote]] = [:]
    }

    /// The thread; nil after its end, or if there is nothing to parse.
    private var thread: SystemThread?
    private let results = Monitor(Parsed())
    private var parsed = Parsed()

    /// Reads documents, and starts to parse them.
    ///
    /// - Parameters:
    ///   - notes: the storage of ``BookNotes``.
    ///   - metadata: the storage of ``MetadataCache``; nil if metadata is not kept.
    ///   - enough: the number of bytes after which no more documents are read.
    ///   - worthThread: the number of bytes for which a thread is started. Fewer are parsed at once.
    init(
        notes: StorageService, metadata: StorageService?, log: LogService, enough: Int = EarlyRecords.enough,
        worthThread: Int = EarlyRecords.worthThread
    ) {
        var bytes = 0
        var files: [(key: String, document: [UInt8])] = []
        if let metadata {
            MetadataParts(metadata, log: log).documents { key, document in
                files.append((key, document))
                bytes += document.count
                return bytes >= enough
            }
        }
        var edits: [(key: String, document: [UInt8])] = []
        do throws(OverlayError) {
            for key in try BookNotes.keys(notes) where bytes < enough {
                guard let document = try notes.read(.data, key) else { continue }
                edits.append((key, document))
                bytes += document.count
            }
        } catch {
            // BookNotes reads them again, and reports why it cannot.
            log.debug("books", "Cannot read the titles and authors you entered early: \(error.message)")
        }
        guard bytes >= worthThread else {
            parsed = Self.parse(files, edits)
            return
        }
        thread = SystemThread { [results, files, edits] in
            let parsed = Self.parse(files, edits)
            results.change { $0 = parsed }
        }
    }

    deinit { thread?.join() }

    private static func parse(
        _ files: [(key: String, document: [UInt8])], _ edits: [(key: String, document: [UInt8])]
    ) -> Parsed {
        var parsed = Parsed()
        for (key, document) in files {
            var found: [CachedFile] = []
            let problem = MetadataParts.parse(document) { found.append($0) }
            parsed.files[key] = Files(files: found, problem: problem)
        }
        for (key, document) in edits {
            do throws(OverlayError) {
                parsed.notes[key] = try BookNotes.parse(document, key)
            } catch {
                // BookNotes reads the file again, and reports the error on the device thread.
                continue
            }
        }
        return parsed
    }

    /// The files in a document of the cache; nil if it was not parsed, or was already taken.
    func takeFiles(_ key: String) -> Files? {
        finish()
        return parsed.files.removeValue(forKey: key)
    }

    /// The steps in a file of notes; nil if it was not parsed, is damaged, or was already taken.
    func takeNotes(_ key: String) -> [DatedNote]? {
        finish()
        return parsed.notes.removeValue(forKey: key)
    }

    /// Waits for the thread.
    private func finish() {
        guard let thread else { return }
        thread.join()
        self.thread = nil
        parsed = results.change { results in
            defer { results = Parsed() }
            return results
        }
    }
}
