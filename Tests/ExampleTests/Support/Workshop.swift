import Foundation
import TestSupport
import Testing

/// A user account with an empty home, which runs the program and authors' tools in its own folder.
final class Workshop: Sendable {
    let folder: TemporaryFolder
    /// The `overlayhost` that was built together with the tests.
    let program: String

    init() throws {
        folder = try TemporaryFolder()
        program = try buildProductsFolder().appendingPathComponent("overlayhost").path
    }

    /// The environment of the programs: without the real user's variables, and with `overlayhost` in `PATH`.
    var environment: [String: String?] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return [
            "XDG_CONFIG_HOME": folder.path("home/config"), "XDG_DATA_HOME": folder.path("home/data"),
            "XDG_CACHE_HOME": folder.path("home/cache"), "XDG_STATE_HOME": folder.path("home/state"),
            "OVERLAYHOST_PLUGINS": nil,
            "USBMUXD_SOCKET_ADDRESS": nil, "SWIFT_BACKTRACE": "enable=no",
            "PKG_CONFIG_PATH": sourceFolder.appendingPathComponent("Support").path,
            "PATH": URL(fileURLWithPath: program).deletingLastPathComponent().path + ":" + path,
        ]
    }

    /// Runs a program in a folder below the workshop's.
    func run(_ program: String, _ arguments: [String], in place: String = "") throws -> ProgramResult {
        try runProgram(
            program, arguments, environment: environment, folder: folder.url.appendingPathComponent(place))
    }

    /// Runs `overlayhost` in a folder below the workshop's.
    func overlayhost(_ arguments: String..., in place: String = "") throws -> ProgramResult {
        try run(program, arguments, in: place)
    }

    /// Runs `overlayhost … --json` and reads its document.
    func document(_ arguments: String..., in place: String = "") throws -> [String: Any] {
        try document(arguments, in: place)
    }

    /// The same, with the words in an array.
    func document(_ arguments: [String], in place: String = "") throws -> [String: Any] {
        let result = try run(program, arguments + ["--json"], in: place)
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        return try #require(object, "\(result.output)\(result.errors)")
    }

    /// Compiles Swift files of the workshop without keeping the result. They may import every module that was built
    /// together with the tests. A warning is an error.
    func compile(_ files: [String], _ options: [String]) throws -> ProgramResult {
        let products = try buildProductsFolder().path
        let sources = sourceFolder.appendingPathComponent("Sources")
        let systems = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .filter { FileManager.default.fileExists(atPath: "\(sources.path)/\($0)/module.modulemap") }
        let maps = [
            "\(products)/CSystemShims.build/module.modulemap", "\(products)/CCurl.build/module.modulemap",
            "\(sources.path)/OverlayABI/include/module.modulemap",
        ]
        let folders =
            ["\(products)/Modules", "\(sources.path)/CSystemShims/include"]
            + systems.map { "\(sources.path)/\($0)" }
        return try run(
            "swiftc",
            ["-emit-sil", "-o", "/dev/null", "-warnings-as-errors", "-swift-version", "6"] + options + files
                + folders.flatMap { ["-I", $0] } + ["-Xcc", "-I/usr/include/libxml2"]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] })
    }

    /// Whether a file with this name exists.
    func has(_ place: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(place)) }
}

/// One text member of each object of an array of a document.
func texts(_ document: [String: Any], _ array: String, _ name: String) -> [String] {
    (document[array] as? [[String: Any]] ?? []).compactMap { $0[name] as? String }
}
