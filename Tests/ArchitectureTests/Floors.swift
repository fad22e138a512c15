/// The floors of docs/floors.txt.
struct Floors {
    struct Floor {
        let name: String
        var uses: [String] = []
        var modules: [String] = []
    }

    private(set) var floors: [Floor] = []
    private(set) var way: [String] = []

    init() throws {
        for line in try SourceTree.text("docs/floors.txt").split(separator: "\n") {
            let words = line.split(whereSeparator: { " ,".contains($0) }).map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            switch first {
            case "floor": floors.append(Floor(name: words[1]))
            case "uses": floors[floors.count - 1].uses = Array(words.dropFirst())
            case "way": way = Array(words.dropFirst())
            default: floors[floors.count - 1].modules.append(first)
            }
        }
    }

    var modules: [String] { floors.flatMap(\.modules) }

    /// The modules that `module` may import.
    func allowed(_ module: String) -> Set<String> {
        guard let floor = floors.first(where: { $0.modules.contains(module) }) else { return [] }
        let before = floor.modules.prefix { $0 != module }
        return Set(before + floors.filter { floor.uses.contains($0.name) }.flatMap(\.modules))
    }
}
