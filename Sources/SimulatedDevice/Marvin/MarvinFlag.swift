/// The flags that travel as if they were collections.
enum MarvinFlag {
    static let new = "NEW"
    static let read = "READ"
    static let readingList = "READING LIST"

    /// The columns of the flags, by name.
    static let columns = [new: "NewFlag", read: "IsRead", readingList: "ReadingList"]

    /// The names that are no flags.
    static func collections(in names: [String]) -> [String] {
        names.filter { columns[$0.uppercased()] == nil }
    }
}
