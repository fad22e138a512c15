// Prints the table of docs/formats.md.
import Diagnostics
import FormatSamples
import Foundation

do {
    print(try AccuracyTable.markdown(), terminator: "")
} catch {
    let packages = RealDocuments.packages.joined(separator: ", ")
    FileHandle.standardError.write(
        Data("\(error.subject ?? "A document"): \(error.message). Are \(packages) installed?\n".utf8))
    exit(1)
}
