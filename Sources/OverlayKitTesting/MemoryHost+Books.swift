import OverlayKit

/// What tests do with the device: they put books there, look at them, and lend files.
extension MemoryHost {
    /// Puts a file below `/Documents`, and makes its folders.
    public func put(_ path: String, _ content: String, created: Int64? = nil) {
        put(path, Array(content.utf8), created: created)
    }

    /// The same with bytes.
    public func put(_ path: String, _ bytes: [UInt8], created: Int64? = nil) {
        let path = "/Documents/" + path
        makeFolders(of: path)
        now += 1_000_000_000
        files[path] = File(bytes: bytes, modified: now, created: created ?? now)
    }

    /// Moves a file as an app does: its time stays.
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

    /// Makes the folders above a path.
    public func makeFolders(of path: String) {
        var parts = path.names.dropLast()
        while !parts.isEmpty {
            folders.insert("/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
    }

    /// Lends a file of the host.
    public func lend(_ name: String, _ content: String) -> HostFile { lend(name, Array(content.utf8)) }

    /// The same with bytes.
    public func lend(_ name: String, _ bytes: [UInt8]) -> HostFile {
        lent[nextFile] = (name, bytes)
        defer { nextFile += 1 }
        return HostFile(rawValue: nextFile)
    }

    /// An item to upload.
    public func item(
        _ name: String, _ content: String, title: String? = nil, authors: [String]? = nil,
        collections: [String]? = nil
    ) -> UploadItem {
        // As a host makes it of a book without its own id: of the content.
        let digest = content.utf8.reduce(into: UInt64(5381)) { $0 = $0 &* 33 &+ UInt64($1) }
        return UploadItem(
            file: lend(name, content), name: name,
            book: Book(
                uuid: "uuid-of-\(digest)", title: title, authors: authors,
                collections: collections, contentID: "content-\(digest)"))
    }

    /// Forgets what was counted.
    public func resetCounts() { (operations, batches, calls, requests, bytesRead) = ([], [], 0, 0, 0) }

    /// Marks all methods up to now as ended, even those that left something on the device.
    public func endMethods() {
        isCancelled = false
        before = { _, _ in }
        ended.formUnion((0...named).map { "call-\($0)" })
    }

    /// Removes a file, or a folder with all below it.
    public func removeAll(at path: String) {
        for name in (files.keys + Array(folders)).filter({ $0.below(path) != nil }) + [path] {
            files[name] = nil
            folders.remove(name)
        }
    }
}
