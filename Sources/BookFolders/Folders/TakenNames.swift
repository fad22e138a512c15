/// The names that are taken in each folder, by which new ones are chosen so that no file takes another's place.
public struct TakenNames {
    /// The paths that were taken; nil for one that is free again.
    private var taken: [ShelfPath?] = []
    /// Where each of them is in `taken`, by its key.
    private var places = PlaceTable()
    /// The number from which on a free one is looked for, by the name that a title would have without one.
    private var next: [NameKey: Int] = [:]
    /// Which number of which name those have that were found taken or free.
    private var numbers: [NameKey: (name: NameKey, number: Int)] = [:]
    /// Names that were tried: what tells in tests that a free one is not looked for from the beginning each time.
    private(set) var tries = 0

    /// No names.
    public init() {}

    /// All that a walk has found.
    public init(_ contents: FolderContents) {
        for folder in contents.folders { take(folder) }
        for file in contents.files { take(file.path) }
    }

    /// What has this path, or one that a device would take for the same; nil if it is free.
    public func holder(of path: ShelfPath) -> ShelfPath? {
        place(BookName.key(path.text)).flatMap { taken[$0] }
    }

    /// Takes a path.
    public mutating func take(_ path: ShelfPath) { take(path, BookName.key(path.text)) }

    private mutating func take(_ path: ShelfPath, _ key: NameKey) {
        if let place = place(key) {
            taken[place] = path
        } else {
            places.insert(key, at: taken.count)
            taken.append(path)
        }
    }

    private func place(_ key: NameKey) -> Int? {
        places.places(of: key).first { place in taken[place].map { BookName.key($0.text) == key } ?? false }
    }

    /// Gives a path free, such as that of a file that was moved away.
    public mutating func release(_ path: ShelfPath) {
        let key = BookName.key(path.text)
        if let place = place(key) { taken[place] = nil }
        if let (name, number) = numbers[key], let later = next[name] { next[name] = min(later, number) }
    }

    /// Takes the first free name for a title: `Emma.epub`, else `Emma (2).epub`, and so on.
    ///
    /// - Returns: nil when the path is too long.
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
        // Ends, for only so many names are taken.
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
