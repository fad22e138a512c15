import BibTeX
import BibTeXMerging
import BibliographySync
import BookFolders
import OverlayKit

/// Sends a `.bib` file to the device, as a new library or merged into the one with its name.
struct BibliographyUpload {
    private let host: HostServices
    private let device: DeviceLibraries
    private let writer: LibraryWriter
    private let settings: BibDeskSettings

    /// - Parameter device: the present libraries.
    init(
        _ host: HostServices, _ device: DeviceLibraries, _ writer: LibraryWriter, _ settings: BibDeskSettings
    ) {
        (self.host, self.device, self.writer, self.settings) = (host, device, writer, settings)
    }

    /// Sends one file and returns its row.
    func send(_ index: Int, _ item: UploadItem) throws(OverlayError) -> ItemResult {
        guard let path = ShelfPath(nil, item.name), LibraryName.isLibrary(item.name) else {
            throw OverlayError(
                .invalidArgument, "This file name cannot be used for a library.", subject: item.name,
                hint: "Rename the file, such as to References.bib.")
        }
        let sent = BibTeXDocument(try bytes(item.file), fallback: settings.fallbackEncoding)
        guard sent.isBibliography else {
            throw OverlayError(
                .unsupportedFormat, "The file has no BibTeX in it.",
                hint: "Check that it is the right file.")
        }
        if let problem = sent.problemWhenSent() {
            throw OverlayError(
                .rejected, "BibDesk would refuse this library: \(problem)", subject: item.name,
                hint: "Correct the file, and try again.")
        }
        guard let old = device.library(named: path) else {
            try writer.write(sent, over: ReferenceLibrary(path, file: nil, BibTeXDocument()))
            return .done(
                index, .added, path: path.text,
                message: sent.encodingRemark.map {
                    "\($0) If letters are wrong, set bibdesk_fallback_encoding."
                })
        }
        // The existing library keeps its cite keys, because texts cite it by them.
        let merge = BibTeXMerge(base: nil, host: old.document, device: sent)
        guard merge.document.blocks != old.document.blocks else {
            return .done(
                index, .skipped, path: old.path.text, message: "The library already has these references.")
        }
        try writer.write(merge.document, over: old)
        let conflicts = merge.report.conflicts.count
        return .done(
            index, .updated, path: old.path.text,
            message: conflicts == 0
                ? nil
                : "Merged with \(conflicts == 1 ? "one conflict" : "\(conflicts) conflicts"); see the group Sync "
                    + "Conflicts.")
    }

    private func bytes(_ file: HostFile) throws(OverlayError) -> [UInt8] {
        var bytes: [UInt8] = []
        try host.transport.localRead(file) { chunk, _, _ throws(OverlayError) in
            guard chunk.count <= DeviceLibraries.largestLibrary - bytes.count else {
                throw OverlayError(
                    .unsupportedFormat,
                    "The library is larger than \(DeviceLibraries.largestLibrary) bytes.")
            }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }
}
