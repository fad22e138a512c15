import OverlayKit
import Platform

/// The records about a shelf that are parsed on another thread while the device lists the folders of the shelf.
///
/// The documents are read on the device thread, as the contract requires, and only until they have a few megabytes, so
/// that the records of a large library are never all in memory as text. ``MetadataCache`` and ``BookNotes`` load the
/// other documents themselves, and also those that cannot be read; they report the reason. If another program replaces
/// a document of the cache afterwards, the earlier one is used, as if the cache had been loaded at that time. Use on
/// the device thread.
final class EarlyRecords {
    /// The number of bytes after which no more documents are read.
    static let enoughBytes = 4 << 20
    /// The fewest bytes for which a thread is started. Fewer are parsed at once.
    static let leastForThread = 64 << 10

    /// The files in a document of the cache.
    struct Files: Sendable {
        var files: [CachedFile] = []
        /// The reason why some of its files cannot be read; nil if it is intact.
        var problem: String?
    }

    /// A document of the host's storage.
    private struct Document: Sendable {
        var key: String
        var bytes: [UInt8]
    }

    private struct Parsed: Sendable {
        var files: [String: Files] = [:]
        var notes: [String: [DatedNote]] = [:]
    }

    /// The thread; nil if there is none, or after its end.
    private var thread: SystemThread?
    private let results = Monitor(Parsed())
    private var parsed = Parsed()

    /// Reads documents, and starts to parse them.
    ///
    /// - Parameters:
    ///   - notes: the storage of ``BookNotes``.
    ///   - metadata: the storage of ``MetadataCache``; nil if metadata is not kept.
    ///   - enoughBytes: the number of bytes after which no more documents are read.
    ///   - leastForThread: the fewest bytes for which a thread is started.
    init(
        notes: StorageService, metadata: StorageService?, enoughBytes: Int = EarlyRecords.enoughBytes,
        leastForThread: Int = EarlyRecords.leastForThread
    ) {
        var bytes = 0
        var files: [Document] = []
        if let metadata {
            MetadataParts(metadata, log: .silent).documents { key, document in
                files.append(Document(key: key, bytes: document))
                bytes += document.count
                return bytes >= enoughBytes
            }
        }
        var steps: [Document] = []
        do throws(OverlayError) {
            for key in try BookNotes.keys(notes) where bytes < enoughBytes && key != BookNotes.firstKey {
                guard let document = try notes.read(.data, key) else { continue }
                steps.append(Document(key: key, bytes: document))
                bytes += document.count
            }
        } catch {
            // BookNotes reads the others, or reports why it cannot.
        }
        if bytes >= leastForThread {
            thread = SystemThread { [results, files, steps] in
                let parsed = Self.parse(files, steps)
                results.change { $0 = parsed }
            }
        }
        if thread == nil { parsed = Self.parse(files, steps) }
    }

    deinit { thread?.join() }

    private static func parse(_ files: [Document], _ steps: [Document]) -> Parsed {
        var parsed = Parsed()
        for document in files {
            var found: [CachedFile] = []
            let problem = MetadataParts.parse(document.bytes) { found.append($0) }
            parsed.files[document.key] = Files(files: found, problem: problem)
        }
        for document in steps {
            do throws(OverlayError) {
                parsed.notes[document.key] = try BookNotes.parse(document.bytes, document.key)
            } catch {
                // BookNotes reads the file again, and reports the error.
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
