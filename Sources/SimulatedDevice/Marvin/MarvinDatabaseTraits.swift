/// What is unusual about the database a `MarvinLibrary` makes.
public struct MarvinDatabaseTraits: OptionSet, Sendable, Hashable {
    /// One bit per trait.
    public let rawValue: Int

    /// Traits by their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The journal mode is WAL.
    public static let writeAheadLog = MarvinDatabaseTraits(rawValue: 1 << 0)
    /// The journal mode is WAL, and the second half of the books is only in the log.
    public static let uncheckpointedLog = MarvinDatabaseTraits(rawValue: 1 << 1)
    /// Every third book has NULL for its title, author and description.
    public static let nullTitles = MarvinDatabaseTraits(rawValue: 1 << 2)
    /// Books belong to collections that do not exist.
    public static let danglingCollections = MarvinDatabaseTraits(rawValue: 1 << 3)
    /// The columns that not every version has are missing, and so is the table of subjects.
    public static let missingColumns = MarvinDatabaseTraits(rawValue: 1 << 4)
    /// Covers are BLOBs in the table of books, as before Marvin 2.1, and there are no cover files.
    public static let coverBlobs = MarvinDatabaseTraits(rawValue: 1 << 5)
}
