import Foundation
import TestSupport
import Testing

@testable import Conformance

/// The faulty overlays in Tests/Mutants: each file breaks the rule it is named after.
enum Mutant {
    static var folder: URL {
        URL(fileURLWithPath: #filePath).appendingPathComponent("../../Mutants").standardized
    }

    /// The ids of the rules that have a mutant.
    static func ids() throws -> Set<String> {
        let manager = FileManager.default
        var ids: Set<String> = []
        for group in try manager.contentsOfDirectory(atPath: folder.path) {
            let path = folder.appendingPathComponent(group)
            guard try path.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { continue }
            for file in try manager.contentsOfDirectory(atPath: path.path) where file.hasSuffix(".c") {
                ids.insert("\(group)/\(file.dropLast(2))")
            }
        }
        return ids
    }

    /// Compiles a file of the folder into `library`. Its first line has special requirements: `flags: -c`, or a
    /// needed library that does not exist. `hooks` are defined as if the file did it.
    static func compile(_ name: String, to library: String, hooks: [String: String] = [:]) throws {
        let source = folder.appendingPathComponent(name + ".c")
        let head = try String(contentsOf: source, encoding: .utf8).prefix { $0 != "\n" }
        var arguments = [
            "-std=gnu11", "-fPIC", head.contains("flags: -c") ? "-c" : "-shared", "-fvisibility=hidden", "-w",
            "-I", folder.appendingPathComponent("../../Sources/OverlayABI/include").standardized.path,
            "-o", library, source.path, "-lpthread",
        ]
        arguments += hooks.map { "-D\($0.key)=\($0.value)" }
        let needed = library + ".d"
        if head.contains("needs: a library") {
            try FileManager.default.createDirectory(atPath: needed, withIntermediateDirectories: true)
            let file = needed + "/needed.c"
            try Data("int base_needed(void) { return 1; }\n".utf8).write(to: URL(fileURLWithPath: file))
            let result = try runProgram("cc", ["-shared", "-fPIC", "-o", needed + "/libneeded.so", file])
            try #require(result.status == 0, "\(result.errors)")
            arguments += ["-L\(needed)", "-lneeded"]
        }
        let result = try runProgram("cc", arguments)
        try #require(result.status == 0, "\(result.errors)")
        if head.contains("needs: a library") { try FileManager.default.removeItem(atPath: needed) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: library)
    }

    /// Compiles a file and checks it, with a few points for each fault. `change` sets the options that its rule
    /// needs.
    static func check(
        _ name: String, _ change: (inout CheckOptions) -> Void = { _ in }
    ) throws -> ConformanceReport {
        let folder = try privateFolder()
        let library = folder.path("overlay.so")
        try compile(name, to: library)
        return try check(library: library, folder, change)
    }

    /// Checks a library.
    static func check(
        library: String, _ folder: TemporaryFolder, _ change: (inout CheckOptions) -> Void = { _ in }
    ) throws -> ConformanceReport {
        let daemon = SharedUsbmuxd.daemon
        var options = CheckOptions(
            worker: try buildProductsFolder().appendingPathComponent("overlayhost").path)
        options.faultPoints = 2
        options.repetitions = 8
        options.silence = .seconds(120)
        options.temporaryFolder = folder.path
        change(&options)
        return try Checker(options, daemon: daemon).check(library)
    }

    /// A folder that only this user can write, regardless of the umask.
    static func privateFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        return folder
    }
}

extension ConformanceReport {
    /// The ids of the rules that are broken.
    var broken: [String] { results.filter(\.isBroken).map(\.rule.id) }

    /// The rules that could not be tried.
    var skipped: [String] { results.filter { $0.outcome.word == "skip" }.map(\.rule.id) }
}
