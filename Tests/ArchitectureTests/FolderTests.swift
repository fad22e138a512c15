import Testing

@Suite("Folders use folders below them")
struct FolderTests {
    @Test("No folders of a module use one another in a circle")
    func circles() throws {
        for (module, uses) in Self.uses(try SourceTree().modules).sorted(by: { $0.key < $1.key }) {
            #expect(Self.circle(uses) == [], "\(module)")
        }
    }

    /// For each module, the folders that each of its folders uses: for a type, or for a member of an extension.
    private static func uses(_ modules: [String: [SourceTree.File]]) -> [String: [String: Set<String>]] {
        let parsed = modules.mapValues { $0.map { (folder: folder($0.path), names: FileNames($0.text)) } }
        var declarations: [String: Int] = [:]
        var users: [String: Set<String>] = [:]
        var imports: [String: Set<String>] = [:]
        for (module, files) in parsed {
            for (_, names) in files {
                for name in names.declarations { declarations[name, default: 0] += 1 }
                for name in names.selected { users[name, default: []].insert(module) }
                imports[module, default: [module]].formUnion(names.imports)
            }
        }
        // Only a name that stands for one thing in the whole package tells which member is meant. If modules use it
        // that do not see this one, the system's libraries have it too.
        func isClear(_ name: String, of module: String) -> Bool {
            declarations[name] == 1
                && users[name, default: []].allSatisfy { imports[$0, default: []].contains(module) }
        }
        var uses: [String: [String: Set<String>]] = [:]
        for (module, files) in parsed {
            var types: [String: String] = [:]
            var (members, statics): ([String: String], [String: String]) = ([:], [:])
            for (folder, names) in files {
                for name in names.defined { types[name] = folder }
                for name in names.members where isClear(name, of: module) { members[name] = folder }
                for name in names.statics { statics[name] = folder }
            }
            var own: [String: Set<String>] = [:]
            for (folder, names) in files {
                let used =
                    names.used.compactMap { types[$0] } + names.selected.compactMap { members[$0] }
                    + names.qualified.compactMap { statics[$0] }
                own[folder, default: []].formUnion(used.filter { $0 != folder })
            }
            uses[module] = own
        }
        return uses
    }

    /// The folder at the top of the module that the file is in; `.` for files outside every folder.
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

    @Test("Members of extensions belong to the folder that has the extension, if their names tell")
    func members() throws {
        let low = SourceTree.File(path: "Low/Thing.swift", text: "struct Thing { var size = 0 }")
        let high = SourceTree.File(
            path: "High/Thing+Sum.swift",
            text:
                "extension Thing { var sum: Int { size }\n private var own: Int { 0 }\n static let most = 5 }"
        )
        func uses(_ text: String, also: String = "") -> [String: Set<String>]? {
            let caller = SourceTree.File(path: "Low/Use.swift", text: text)
            let other = SourceTree.File(path: "Other.swift", text: also)
            return Self.uses(["One": [low, high, caller], "Two": [other]])["One"]
        }
        let circle: [String: Set<String>] = ["Low": ["High"], "High": ["Low"]]
        #expect(uses("func f(_ t: Thing) { t.sum }") == circle)
        #expect(Self.circle(circle) == ["High", "Low"])
        let none: [String: Set<String>] = ["Low": [], "High": ["Low"]]
        #expect(uses("func f(_ t: Thing) { t.own }\nlet sum = 0") == none)
        // The name means several things, or the system has it.
        #expect(uses("func f(_ t: Thing) { t.sum }", also: "struct Else { let sum = 0 }") == none)
        #expect(uses("func f(_ t: Thing) { t.sum }", also: "func g() { [1].sum }") == none)
        // With its type, the name of a static member tells even if other types have one with the same name.
        #expect(uses("func f() { Thing.most }", also: "struct Else { static let most = 1 }") == circle)
        #expect(uses("func f(_ t: Thing) { t.sum }", also: "import One\nfunc g() { t.sum }") == circle)
    }

    @Test("Definitions and uses are told from comments, texts and members")
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
        #expect(names.declarations == ["text", "work"] && names.selected == ["Member"])
        let extended = FileNames(
            """
            extension Thing {
                var sum: Int { let part = 0; return part }
                private func own() { sum(of: .two) }
                static let most = 5
                enum Kind { case one, two }
            }
            private extension Thing { var hidden: Int { other() } }
            """)
        #expect(extended.members == ["sum", "most"])
        #expect(extended.statics == ["Thing.most"])
        #expect(FileNames("let a = Thing.most(thing.size, .two)").qualified == ["Thing.most"])
        #expect(
            extended.declarations.sorted() == ["hidden", "most", "one", "own", "part", "sum", "two"])
        #expect(extended.selected == ["sum", "two", "other"])
    }
}
