import BibTeX
import FoundationEssentials
import Glibc
import Synchronization

extension SimulatedBibDesk {
    /// Starts the behaviour of the settings, and ends the earlier behaviour.
    func behave(_ behaviour: BibDeskBehaviour, on device: SimulatedDevice) throws {
        device.fileService.setHook(of: bundleID, nil)
        switch behaviour {
        case .normal: return
        case .removesUnknownFiles:
            let listing = try listing()
            try removeUnknown(libraries: listing, papers: listing)
        case .clockAhead:
            let app = SimulatedBibDesk(container, bundleID: bundleID, clockAhead: 86_400)
            try app.annotateLibraries()
        case .editsDuringSync:
            let isDue = Atomic(true)
            device.fileService.setHook(of: bundleID) { request in
                guard request.operation == "FILE_CLOSE", request.path?.hasPrefix("/tmp/") == true,
                    isDue.exchange(false, ordering: .relaxed)
                else { return }
                do {
                    try annotateLibraries()
                } catch {
                    // A library that cannot be changed is left unchanged.
                }
            }
        }
    }

    /// Changes the note of the first entry of each library, at the time of the app's clock.
    private func annotateLibraries() throws {
        for name in try contents().libraries {
            var document = BibTeXDocument(try bytes(of: name))
            guard let first = document.entryIndexes.first else { continue }
            let now = BibTeXMoment(seconds: Int64(Glibc.time(nil) + clockAhead)).text
            document.change(first) {
                $0.setting("note", to: BibTeXValue(Self.note))?
                    .setting("date-modified", to: BibTeXValue(now))
            }
            try add(document.bytes, named: name)
        }
    }

    /// The note that the app writes into entries.
    public static let note = "Noted in the app"

    // MARK: what the app's service lists

    private var listingFile: URL { container.folder.appendingPathComponent("Library/service-listing") }

    /// Notes the files that the app has brought itself.
    func noteListing() throws {
        let contents = try contents()
        let lines = (contents.libraries + contents.papers).joined(separator: "\n")
        try Data(lines.utf8).write(to: listingFile)
    }

    private func listing() throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: listingFile.path) else { return [] }
        let text = String(decoding: try Data(contentsOf: listingFile), as: UTF8.self)
        return Set(text.split(separator: "\n").map(String.init))
    }
}
