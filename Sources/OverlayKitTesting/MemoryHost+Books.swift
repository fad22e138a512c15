import OverlayKit

/// Functions with which tests change and examine the device, and lend files.
extension MemoryHost {
    /// Creates a file and its folders below `/Documents`.
    public func put(_ path: String, _ content: String, created: Int64? = nil) {
        put(path, Array(content.utf8), created: created)
    }

    /// Creates a file from bytes and its folders below `/Documents`.
    public func put(_ path: String, _ bytes: [UInt8], created: Int64? = nil) {
        let path = "/Documents/" + path
        makeFolders(of: path)
        now += 1_000_000_000
        files[path] = File(bytes: bytes, modified: now, created: created ?? now)
    }

    /// Moves a file without changing its time, as an app does.
    public func move(_ path: String, to newPath: String) {
        guard let file = files.removeValue(forKey: "/Documents/" + path) else { return }
        makeFolders(of: "/Documents/" + newPath)
        files["/Documents/" + newPath] = file
    }

    /// The content of a file below `/Documents`.
    public func content(_ path: String) -> String? {
        files["/Documents/" + path].map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// All files below `/Documents`, sorted.
    public var documents: [String] { files.keys.compactMap { $0.below("/Documents") }.sorted() }

    /// Creates the parent folders of a path.
    public func makeFolders(of path: String) {
        var parts = path.names.dropLast()
        while !parts.isEmpty {
            folders.insert("/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
    }

    /// Lends a file of the host.
    public func lend(_ name: String, _ content: String) -> HostFile { lend(name, Array(content.utf8)) }

    /// Lends bytes as a file of the host.
    public func lend(_ name: String, _ bytes: [UInt8]) -> HostFile {
        lent[nextFile] = (name, bytes)
        defer { nextFile += 1 }
        return HostFile(rawValue: nextFile)
    }

    /// Creates an item to upload.
    public func item(
        _ name: String, _ content: String, title: String? = nil, authors: [String]? = nil,
        collections: [String]? = nil
    ) -> UploadItem {
        // Derived from the content, as a host does for a book without its own id.
        let digest = content.utf8.reduce(into: UInt64(5381)) { $0 = $0 &* 33 &+ UInt64($1) }
        return UploadItem(
            file: lend(name, content), name: name,
            book: Book(
                uuid: "uuid-of-\(digest)", title: title, authors: authors,
                collections: collections, contentID: "content-\(digest)"))
    }

    /// Resets the counters.
    public func resetCounts() { (operations, batches, calls, requests, bytesRead) = ([], [], 0, 0, 0) }

    /// Marks all methods so far as ended, even those that left files on the device.
    public func endMethods() {
        isCancelled = false
        before = { _, _ in }
        ended.formUnion((0...named).map { "call-\($0)" })
    }

    /// Removes a file, or a folder and everything below it.
    public func removeAll(at path: String) {
        for name in (files.keys + Array(folders)).filter({ $0.below(path) != nil }) + [path] {
            files[name] = nil
            folders.remove(name)
        }
    }
}
