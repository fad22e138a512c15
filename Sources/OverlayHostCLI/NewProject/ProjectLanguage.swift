/// A language that `new` has a template for.
enum ProjectLanguage: String, CaseIterable {
    case c
    case cpp = "c++"
    case rust
    case swift

    /// The language that a person means; nil: none of these.
    init?(_ word: String) {
        let word = word.lowercased()
        self.init(rawValue: ["cpp": "c++", "cxx": "c++", "rs": "rust"][word] ?? word)
    }

    /// The language's name in sentences.
    var name: String {
        switch self {
        case .c: "C"
        case .cpp: "C++"
        case .rust: "Rust"
        case .swift: "Swift"
        }
    }

    /// The folder of its template.
    var folder: String { self == .cpp ? "cpp" : rawValue }

    /// The files of its template, with `/` between folders. What else lies there was built.
    var files: [String] {
        let common = [".gitignore", "Makefile", "README.md", "device/device.json"]
        return switch self {
        case .c: common + ["satchel.c"]
        case .cpp: common + ["overlay.map", "satchel.cpp"]
        case .rust: common + ["Cargo.toml", "src/abi.rs", "src/lib.rs"]
        case .swift:
            common + ["Package.swift", "Sources/Entry.swift", "Sources/SatchelOverlay.swift", "overlay.map"]
        }
    }

    /// Whether a project gets copies of the contract's headers.
    var takesHeaders: Bool { self == .c || self == .cpp }
}
