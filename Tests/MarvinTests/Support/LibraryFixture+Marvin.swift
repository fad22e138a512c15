/// Changes as Marvin makes them.
extension LibraryFixture {
    private static func id(of name: String) -> String {
        "(SELECT ID FROM Books WHERE FileName = \(quoted(name)))"
    }

    /// Gives a book exactly these collections and flags.
    func setCollections(_ names: [String], of name: String) throws {
        let (id, flags) = (
            Self.id(of: name), ["NEW": "NewFlag", "READ": "IsRead", "READING LIST": "ReadingList"]
        )
        try run("DELETE FROM BookCollections WHERE BookID = \(id)")
        for (flag, column) in flags {
            let value = names.contains(flag) ? 1 : 0
            try run("UPDATE Books SET \(column) = \(value) WHERE FileName = \(Self.quoted(name))")
        }
        for collection in names where flags[collection] == nil {
            let text = Self.quoted(collection)
            try run(
                """
                INSERT INTO Collections (Name) SELECT \(text) WHERE NOT EXISTS
                    (SELECT 1 FROM Collections WHERE Name = \(text));
                INSERT INTO BookCollections SELECT \(id), ID FROM Collections WHERE Name = \(text);
                """)
        }
    }

    /// Gives a book exactly these subjects.
    func setSubjects(_ subjects: [String], of name: String) throws {
        let id = Self.id(of: name)
        try run("DELETE FROM BookSubjects WHERE BookID = \(id)")
        for subject in subjects {
            try run("INSERT INTO BookSubjects VALUES (\(id), \(Self.quoted(subject)))")
        }
    }
}
