import Testing

@Suite("Folders use folders below them")
struct FolderTests {
    @Test("No folders of a module use one another in a circle")
    func circles() throws {
        for (module, files) in try SourceTree().modules.sorted(by: { $0.key < $1.key }) {
            let names = files.map { FileNames($0.text) }
            var homes: [String: String] = [:]
            for (file, names) in zip(files, names) {
                for name in names.defined { homes[name] = Self.folder(file.path) }
            }
            var uses: [String: Set<String>] = [:]
            for (file, names) in zip(files, names) {
                let folder = Self.folder(file.path)
                uses[folder, default: []].formUnion(
                    names.used.compactMap { homes[$0] }.filter { $0 != folder })
            }
            #expect(Self.circle(uses) == [], "\(module)")
        }
    }

    /// The top folder of the module that contains the file; `.` for files outside every folder.
    private static func folder(_ path: String) -> String {
        path.split(separator: "/").dropLast().first.map(String.init) ?? "."
    }

    /// Repeatedly removes folders that use no other folder. The remaining ones form a circle; empty if there is none.
    static func circle(_ uses: [String: Set<String>]) -> [String] {
        var left = Set(uses.keys).union(uses.values.flatMap { $0 })
        while let free = left.first(where: { uses[$0, default: []].isDisjoint(with: left) }) {
            left.remove(free)
        }
        // Folders above a circle are not part of it.
        while let top = left.first(where: { one in !left.contains { uses[$0, default: []].contains(one) } }) {
            left.remove(top)
        }
        return left.sorted()
    }

    @Test("A circle is found, and folders above and below it are not reported")
    func finds() {
        #expect(Self.circle(["a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []]) == ["b", "c"])
        #expect(Self.circle(["a": ["b"], "b": ["c"]]) == [])
    }

    @Test("Definitions and uses are distinguished from comments, texts and members")
    func reads() {
        let names = FileNames(
            """
            import Below
            // A Comment of Words
            private struct Hidden {}
            public struct Shown: Sendable { struct Inner {} }
            typealias Short = Long
            let text = "A Text \\(Value("x")) End"
            func work(_ item: Item) -> Shown { item.Member }
            """)
        #expect(names.imports == ["Below"])
        #expect(names.defined == ["Shown", "Short"])
        #expect(names.used == ["Sendable", "Long", "Item"])
    }
}
