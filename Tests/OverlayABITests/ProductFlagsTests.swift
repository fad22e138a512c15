import Foundation
import TestSupport
import Testing

@Suite("Other packages can depend on the libraries of this one, and no build keeps a stale module")
struct ProductFlagsTests {
    /// The relevant output of `swift package dump-package`.
    private struct Manifest: Decodable {
        struct Product: Decodable {
            var name: String
            var targets: [String]
            var type: [String: [String]?]
        }
        struct Target: Decodable {
            var name: String
            var type: String
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
                do {
                    self = .text(try container.decode(String.self))
                } catch DecodingError.typeMismatch, DecodingError.valueNotFound {
                    self = .other
                }
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

    /// SwiftPM recompiles a module only if a module that it names has changed.
    @Test("A target names all targets that it uses through others")
    func names() throws {
        let manifest = try Self.manifest()
        let direct = Dictionary(
            manifest.targets.map { target in
                (
                    target.name,
                    target.dependencies.flatMap { $0.values.compactMap(\.first) }.compactMap { word in
                        if case .text(let name)? = word { name } else { nil }
                    }
                )
            }
        ) { first, _ in first }
        let compiled = Set(manifest.targets.filter { $0.type == "regular" }.map(\.name))
        #expect(direct["Formats"]?.contains("Diagnostics") == true)
        for (name, uses) in direct {
            let indirect = uses.flatMap { direct[$0] ?? [] }.filter(compiled.contains)
            #expect(Set(indirect).subtracting(uses).isEmpty, "\(name)")
        }
    }

    /// SwiftPM refuses a package as a dependency by version if a used target has unsafe flags.
    @Test("No target that a library product needs has unsafe flags")
    func unsafeFlags() throws {
        let manifest = try Self.manifest()
        let targets = Dictionary(manifest.targets.map { ($0.name, $0) }) { first, _ in first }
        // Overlays and the library for C are dynamic, and not imported by other packages.
        let libraries = manifest.products.filter { $0.type["library"]??.contains("automatic") == true }
        #expect(
            libraries.contains { $0.name == "BookFolders" } && libraries.contains { $0.name == "OverlayHost" }
        )
        var flagged: Set<String> = []
        for product in libraries {
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
            #expect(product.targets.allSatisfy(seen.contains), "\(product.name)")
        }
        #expect(flagged.isEmpty, "\(flagged.sorted())")
        // An overlay's linker needs the flags, so the test sees them here.
        let entry = try #require(targets["MarvinEntry"])
        #expect(entry.settings.contains { $0.kind.keys.contains("unsafeFlags") })
    }
}
