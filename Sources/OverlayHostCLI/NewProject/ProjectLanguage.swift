/// A language for which `new` has a template.
enum ProjectLanguage: String, CaseIterable {
    case c
    case cpp = "c++"
    case python
    case rust
    case swift

    /// The language that a word means; nil if there is none.
    init?(_ word: String) {
        let word = word.lowercased()
        self.init(rawValue: ["cpp": "c++", "cxx": "c++", "py": "python", "rs": "rust"][word] ?? word)
    }

    /// The language's name in messages.
    var name: String {
        switch self {
        case .c: "C"
        case .cpp: "C++"
        case .python: "Python"
        case .rust: "Rust"
        case .swift: "Swift"
        }
    }

    /// The folder of its template.
    var folder: String { self == .cpp ? "cpp" : rawValue }

    /// The files of its template, with `/` between folders. Other files in the folder are build products.
    var files: [String] {
        let common = [".gitignore", "Makefile", "README.md", "device/device.json"]
        return switch self {
        case .c: common + ["satchel.c"]
        case .cpp: common + ["overlay.map", "satchel.cpp"]
        case .python:
            common + [
                "bridge/bridge.c", "bridge/overlaykit.py", "bridge/overlayvalues.py", "overlay.map",
                "satchel.py",
            ]
        case .rust: common + ["Cargo.toml", "src/abi.rs", "src/lib.rs"]
        case .swift:
            common + ["Package.swift", "Sources/Entry.swift", "Sources/SatchelOverlay.swift", "overlay.map"]
        }
    }

    /// The headers of the contract that are copied into a project.
    var headers: [String] {
        let all = ["abi", "content", "methods", "records", "services", "sync", "types"].map {
            "overlay_\($0).h"
        }
        return switch self {
        case .c, .cpp: all
        case .python: all + ["overlay_signatures.h"]
        case .rust, .swift: []
        }
    }

    /// The contract's data files that are copied into a project, besides the headers.
    var signatures: [String] {
        guard self == .python else { return [] }
        return ["overlay_signatures.c", "signature_tables.h"]
            + ["content", "methods", "records", "services", "sync", "types"].map { "signatures_\($0).c" }
    }
}
