import Foundation
import TestSupport

/// Compiles the tests' overlays in C.
package enum OverlayCompiler {
    private static let headers = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Sources/OverlayABI/include").standardized.path

    /// Compiles a source text into a library that any user may load, replacing an existing file.
    ///
    /// - Parameter macros: such as `ID="x"`.
    package static func compile(
        _ source: String, to file: String, _ macros: [String] = [], standard: String = "c11",
        flags: [String] = ["-shared"]
    ) throws {
        let code = file + ".c"
        try Data(source.utf8).write(to: URL(fileURLWithPath: code))
        let result = try runProgram(
            "cc",
            ["-std=\(standard)", "-fPIC", "-fvisibility=hidden", "-w", "-I", headers, "-o", file, code]
                + macros.map { "-D" + $0 } + flags)
        try FileManager.default.removeItem(atPath: code)
        guard result.status == 0 else { throw FixtureFailure(message: result.errors) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
}

/// An overlay in C that a test compiles.
package protocol CompiledOverlay {
    static var source: String { get }
}

extension CompiledOverlay {
    /// Compiles it into `file`.
    package static func build(_ file: String, _ macros: [String] = []) throws {
        try OverlayCompiler.compile(
            source, to: file, macros, standard: "gnu11", flags: ["-shared", "-lpthread"])
    }
}

/// Why a test's overlay could not be made or found.
struct FixtureFailure: Error {
    let message: String
}
