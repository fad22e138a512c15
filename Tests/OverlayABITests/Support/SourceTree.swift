import Foundation

/// The files of the package that the tests of the contract look at.
enum SourceTree {
    /// The folder of the package.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let abi = root.appendingPathComponent("Sources/OverlayABI")
    static let include = abi.appendingPathComponent("include")
    static let fixtures = root.appendingPathComponent("Tests/OverlayABITests/Fixtures")

    /// The headers of the contract itself, in the order in which they include each other.
    static let contractHeaders = [
        "overlay_types.h", "overlay_records.h", "overlay_services.h", "overlay_content.h",
        "overlay_sync.h", "overlay_methods.h",
    ]

    /// All headers of the target.
    static func headers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: include.path).filter { $0.hasSuffix(".h") }
            .sorted()
    }

    static func text(_ file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }

    static func header(_ name: String) throws -> String {
        try text(include.appendingPathComponent(name))
    }
}
