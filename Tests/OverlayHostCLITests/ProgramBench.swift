import Platform
import Foundation
import OverlayHost
import Synchronization
import TestSupport

@testable import OverlayHostCLI

/// The program as a function, with its own folders, and without overlays and devices.
final class ProgramBench: Sendable {
    /// The output of one run.
    struct Run {
        let status: Int32
        let output: String
        let errors: String

        /// A member of the `error` object.
        func error(_ name: String) throws -> String? {
            let document = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            return (document?["error"] as? [String: Any])?[name] as? String
        }

        /// The objects of an array member.
        func rows(_ name: String) throws -> [[String: Any]] {
            let document = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            return document?[name] as? [[String: Any]] ?? []
        }
    }

    /// The output of a console.
    final class Text: Sendable {
        let output = Mutex("")
        let errors = Mutex("")

        func console(
            json: Bool = false, quiet: Bool = false, width: Int? = nil, outputError: Int32? = nil
        ) -> Console {
            Console(
                isJSON: json, isQuiet: quiet, width: width,
                output: { text in self.output.withLock { $0 += text } },
                bytes: { bytes in self.output.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
                diagnostics: { text in self.errors.withLock { $0 += text } }, outputError: { outputError })
        }
    }

    let folder: TemporaryFolder

    init(prefs: String? = nil) throws {
        folder = try TemporaryFolder()
        if let prefs { try Data(prefs.utf8).write(to: folder.url.appendingPathComponent("prefs.json")) }
    }

    /// Writes a file into the bench's folder and returns its path.
    func file(_ name: String, _ content: Data) throws -> String {
        try content.write(to: folder.url.appendingPathComponent(name))
        return folder.path(name)
    }

    /// Runs a command line. `outputError` is the errno with which writing the result fails; `isCancelled` cancels it
    /// before the start.
    func run(
        _ arguments: [String], outputError: Int32? = nil, width: Int? = nil, isCancelled: Bool = false
    ) -> Run {
        let text = Text()
        let interruption = Interruption()
        if isCancelled { interruption.cancellation.cancel() }
        let paths = HostPaths(
            environment: [
                "HOME": folder.url.path, "XDG_CONFIG_HOME": folder.path("config"),
                "XDG_DATA_HOME": folder.path("data"), "TMPDIR": folder.url.path,
            ],
            executable: nil)
        let program = CommandLineProgram(
            interruption: interruption, paths: paths,
            console: { text.console(json: $0, quiet: $1, width: width, outputError: outputError) })
        let status = program.run(arguments)
        return Run(
            status: status.rawValue, output: text.output.withLock { $0 }, errors: text.errors.withLock { $0 })
    }

    /// Runs a command line with the bench's preferences file.
    func withPrefs(_ arguments: String...) -> Run { run(arguments + ["--prefs", folder.path("prefs.json")]) }
}
