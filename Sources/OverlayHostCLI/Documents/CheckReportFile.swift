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
                .outputNotCreated, "The report cannot be written: \(error.localizedDescription)",
                subject: path, hint: "Name a file in a folder that is there and that you may write.",
                underlying: error)
        }
    }
}
