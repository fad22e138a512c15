/// Everything Marvin's library knows, read with one statement per table and joined in memory.
struct LibraryContents: Sendable {
    /// Books in the order of the library, each file name once.
    var books: [LibraryBook] = []
    /// Bytes of their texts, as a host counts them or more.
    var textBytes = 0
    /// Tables and columns of what a person sees that the database lacks, such as `table BookSubjects`.
    var lacks: [String] = []
    /// What was left out or looked wrong, for the log.
    var remarks: [String] = []
}
