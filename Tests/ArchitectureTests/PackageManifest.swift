import Foundation

/// The targets of a `Package.swift`, read from its text.
struct PackageManifest {
    /// The names in the list of dependencies of each target.
    let dependencies: [String: Set<String>]

    init(_ text: String) throws {
        var all: [String: Set<String>] = [:]
        // `library("A", ["B"])`, `tests(…)`, `module(…)`, `.target(name: "A", dependencies: ["B"])`, and targets that a loop over
        // names makes.
        let single = try Regex(
            #"(?:library|tests|module|arget)\(\s*(?:name: )?"(\w+)"(?:,\s*(?:dependencies: )?\[([^\]]*)\])?"#)
        for match in text.matches(of: single) {
            all[String(match.output[1].substring ?? ""), default: []].formUnion(
                Self.names(match.output[2].substring))
        }
        let loop = try Regex(#"\[([^\]]*)\]\.flatMap \{ name in\s*\[\s*library\(name, \[([^\]]*)\]"#)
        for match in text.matches(of: loop) {
            for name in Self.names(match.output[1].substring) {
                all[name, default: []].formUnion(Self.names(match.output[2].substring))
            }
        }
        dependencies = all
    }

    private static func names(_ list: Substring?) -> [String] {
        (list ?? "").split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 1
        }.map {
            String($0.element)
        }
    }
}
