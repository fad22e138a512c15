import Foundation
import OverlayHost

/// A report that a build leaves behind: written anew each time.
enum CheckReportFile {
    /// Replaces the file at `path` in one step. Throws `outputNotCreated`.
    static func write(_ text: String, to path: String) throws(HostError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw HostError(
                .outputNotCreated, "Cannot write the report: \(error.localizedDescription)",
                subject: path, hint: "Choose a file in an existing folder that you can write to.",
                underlying: error)
        }
    }
}
