import Foundation
import TestSupport
import Testing

/// Compiles the overlays in C that tests bring along.
enum OverlayCompiler {
    private static let headers = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../Sources/OverlayABI/include").standardized.path

    /// Makes a library of a source text, in place of what is there, as a linker does; everybody may load it.
    ///
    /// - Parameter macros: such as `ID="x"`.
    static func compile(
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
        try #require(result.status == 0, "\(result.errors)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
}

/// An overlay in C that a test compiles.
protocol CompiledOverlay {
    static var source: String { get }
}

extension CompiledOverlay {
    /// Compiles it into `file`.
    static func build(_ file: String, _ macros: [String] = []) throws {
        try OverlayCompiler.compile(
            source, to: file, macros, standard: "gnu11", flags: ["-shared", "-lpthread"])
    }
}
