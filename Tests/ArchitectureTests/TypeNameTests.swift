import Testing

@Suite("Each type name has one meaning")
struct TypeNameTests {
    /// Names that several modules define, with the reason.
    private static let shared: [String: String] = [:]

    @Test("Each type name is defined in one module")
    func unique() throws {
        var owners: [String: Set<String>] = [:]
        for (module, files) in try SourceTree().modules {
            for file in files {
                for name in FileNames(file.text).defined { owners[name, default: []].insert(module) }
            }
        }
        let twice = owners.filter { $0.value.count > 1 && Self.shared[$0.key] == nil }
            .map { "\($0.key): \($0.value.sorted().joined(separator: ", "))" }
        #expect(twice.sorted() == [])
    }
}
