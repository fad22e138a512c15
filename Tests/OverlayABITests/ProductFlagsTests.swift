import Foundation
import TestSupport
import Testing

@Suite("Other packages can depend on the libraries of this one")
struct ProductFlagsTests {
    /// What `swift package dump-package` prints, as far as it matters here.
    private struct Manifest: Decodable {
        struct Product: Decodable {
            var name: String
            var targets: [String]
        }
        struct Target: Decodable {
            var name: String
            var dependencies: [[String: [Word?]]]
            var settings: [Setting]
        }
        struct Setting: Decodable {
            var kind: [String: Word]
        }
        /// A text, or anything else.
        enum Word: Decodable {
            case text(String)
            case other

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                self = (try? container.decode(String.self)).map { .text($0) } ?? .other
            }
        }

        var products: [Product]
        var targets: [Target]
    }

    private static func manifest() throws -> Manifest {
        let scratch = try TemporaryFolder()
        let run = try runProgram(
            "swift",
            [
                "package", "--package-path", SourceTree.root.path, "--scratch-path", scratch.path("build"),
                "dump-package",
            ])
        try #require(run.status == 0, "\(run.errors)")
        return try JSONDecoder().decode(Manifest.self, from: Data(run.output.utf8))
    }

    /// SwiftPM refuses a package as a dependency by version where a target that is used has unsafe flags.
    @Test("No target that a library product needs has unsafe flags")
    func unsafeFlags() throws {
        let manifest = try Self.manifest()
        let targets = Dictionary(manifest.targets.map { ($0.name, $0) }) { first, _ in first }
        let libraries = [
            "BookFolders", "Claims", "DeviceDatabases", "Diagnostics", "Fetching", "Formats",
            "FormatsNetworking", "OverlayABI", "OverlayHost", "OverlayKit", "SimulatedDevice",
            "UploadPlanning",
        ]
        var flagged: Set<String> = []
        for library in libraries {
            let product = try #require(manifest.products.first { $0.name == library }, "\(library)")
            var open = product.targets
            var seen: Set<String> = []
            while let name = open.popLast() {
                guard seen.insert(name).inserted, let target = targets[name] else { continue }
                if target.settings.contains(where: { $0.kind.keys.contains("unsafeFlags") }) {
                    flagged.insert(name)
                }
                for case .text(let next)? in target.dependencies.flatMap({ $0.values.compactMap(\.first) }) {
                    open.append(next)
                }
            }
            #expect(seen.count > (library == "OverlayABI" || library == "Diagnostics" ? 0 : 1), "\(library)")
        }
        #expect(flagged.isEmpty, "\(flagged.sorted())")
        // An overlay's linker needs them, so the test sees them where they are.
        let entry = try #require(targets["MarvinEntry"])
        #expect(entry.settings.contains { $0.kind.keys.contains("unsafeFlags") })
    }
}
