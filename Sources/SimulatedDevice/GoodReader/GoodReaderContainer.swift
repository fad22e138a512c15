import Foundation

/// Where GoodReader keeps what, inside its container.
public struct GoodReaderContainer: Sendable, Equatable {
    /// The container's own folder.
    public let folder: URL

    /// A container.
    public init(folder: URL) { self.folder = folder }

    /// The person's files, in folders as deep as the person likes.
    public var documents: URL { folder.appendingPathComponent("Documents", isDirectory: true) }
    /// The previews of pages: one database for each document, under the document's path.
    public var previews: URL {
        folder.appendingPathComponent(
            "Library/Application Support/com.goodiware.GoodReader.ASRoot/Previews/0", isDirectory: true)
    }
    /// What the calibre plugin "iOS reader applications" has left there.
    public var cache: URL { folder.appendingPathComponent("Library/calibre_metadata.sqlite") }

    /// A document by its path relative to the documents.
    public func document(_ path: String) -> URL { documents.appendingPathComponent(path) }
    /// The previews of a document by its path relative to the documents.
    public func preview(of path: String) -> URL { previews.appendingPathComponent(path) }

    /// The folders that exist in every installation.
    func makeFolders() throws {
        for url in [documents, previews] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
    }
}
