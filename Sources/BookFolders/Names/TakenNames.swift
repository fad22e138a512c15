/// The names that are taken in each folder, by which new ones are chosen so that no file takes another's place.
public struct TakenNames {
    private var taken: [NameKey: ShelfPath] = [:]

    /// No names.
    public init() {}

    /// All that a walk has found.
    public init(_ contents: FolderContents) {
        for folder in contents.folders { take(folder) }
        for file in contents.files { take(file.path) }
    }

    /// What has this path, or one that a device would take for the same; nil if it is free.
    public func holder(of path: ShelfPath) -> ShelfPath? { taken[BookName.key(path.text)] }

    /// Takes a path.
    public mutating func take(_ path: ShelfPath) { taken[BookName.key(path.text)] = path }

    /// Gives a path free, such as that of a file that was moved away.
    public mutating func release(_ path: ShelfPath) { taken[BookName.key(path.text)] = nil }

    /// Takes the first free name for a title: `Emma.epub`, else `Emma (2).epub`, and so on.
    ///
    /// - Returns: nil when no name of reasonable length is free, or the path is too long.
    public mutating func takeFree(
        _ title: String, in folder: ShelfPath?, fileExtension: String
    ) -> ShelfPath? {
        for number in 1...10_000 {
            let suffix = number == 1 ? "" : " (\(number))"
            let name = BookName.file(title, suffix: suffix, fileExtension: fileExtension)
            guard let path = ShelfPath(folder, name) else { return nil }
            if holder(of: path) == nil {
                take(path)
                return path
            }
        }
        return nil
    }
}
