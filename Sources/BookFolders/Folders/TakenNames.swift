import Platform

/// The names in use in each folder, to choose new names so that no file replaces another.
public struct TakenNames {
    /// The paths in use; nil for a path that was released.
    private var taken: [ShelfPath?] = []
    /// The index in `taken` of each path, by its key.
    private var places = HashIndex()
    /// The number with which the search for a free name starts, by the name without a number.
    private var next: [NameKey: Int] = [:]
    /// The base name and number of each numbered name that was found in use or free.
    private var numbers: [NameKey: (name: NameKey, number: Int)] = [:]
    /// How many names were tried. Tests check that the search does not start again from the beginning each time.
    private(set) var tries = 0

    /// Creates an empty set of names.
    public init() {}

    /// Creates a set of all names that were found, including those of links and of what could not be examined.
    public init(_ contents: FolderContents) {
        for name in contents.names { take(name) }
        for folder in contents.folders { take(folder) }
        for file in contents.files { take(file.path) }
        for link in contents.links { take(link) }
        for entry in contents.unexamined { take(entry.path) }
    }

    /// The path that has this name, or one that a device would treat as the same; nil if it is free.
    public func holder(of path: ShelfPath) -> ShelfPath? {
        place(BookName.key(path.text)).flatMap { taken[$0] }
    }

    /// Marks a path as used.
    public mutating func take(_ path: ShelfPath) { take(path, BookName.key(path.text)) }

    private mutating func take(_ path: ShelfPath, _ key: NameKey) {
        if let place = place(key) {
            taken[place] = path
        } else {
            places.insert(HashIndex.hash(key), at: taken.count)
            taken.append(path)
        }
    }

    private func place(_ key: NameKey) -> Int? {
        places.position(of: HashIndex.hash(key)) { place in
            taken[place].map { BookName.key($0.text) == key } ?? false
        }
    }

    /// Releases a path, such as that of a file that was moved away.
    public mutating func release(_ path: ShelfPath) {
        let key = BookName.key(path.text)
        if let place = place(key) { taken[place] = nil }
        if let (name, number) = numbers[key], let later = next[name] { next[name] = min(later, number) }
    }

    /// Takes the first free name for a title: `Emma.epub`, then `Emma (2).epub`, and so on.
    ///
    /// - Returns: the path, or nil if it is too long.
    public mutating func takeFree(
        _ title: String, in folder: ShelfPath?, fileExtension: String
    ) -> ShelfPath? {
        func path(_ number: Int) -> ShelfPath? {
            let suffix = number == 1 ? "" : " (\(number))"
            return ShelfPath(folder, BookName.file(title, suffix: suffix, fileExtension: fileExtension))
        }
        guard let plain = path(1) else { return nil }
        let name = BookName.key(plain.text)
        var number = next[name] ?? 1
        // This ends, because the number of names in use is finite.
        while let candidate = path(number) {
            tries += 1
            let key = BookName.key(candidate.text)
            if numbers[key] == nil { numbers[key] = (name, number) }
            guard place(key) != nil else {
                take(candidate, key)
                next[name] = number + 1
                return candidate
            }
            number += 1
        }
        return nil
    }
}
