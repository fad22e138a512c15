import BibliographySync
import BookFolders
import OverlayKit

/// The places of an app's libraries and papers on the device.
struct ReferenceStore: Hashable, Sendable {
    /// The folders that an app uses.
    enum Layout: Hashable, Sendable {
        /// BibDesk since November 2012: libraries in one folder, papers in another.
        case linkedFiles
        /// BibDesk in the summer of 2012: both in a single folder.
        case flat
        /// Earlier versions of BibDesk, and any other app: both in the shared folder.
        case documents
    }

    /// The bundle id of BibDesk's app, unless its builder changed it.
    static let bibDeskID = "org.colinsmith.BibDesk"
    private static let dropbox = "/Library/Application Support/Dropbox"

    /// The root of the device that contains the files.
    let root: Root
    /// The app's folders.
    let layout: Layout
    /// Whether the app reads only links in the form of keyed archives, in UTF-8 files.
    let isBibDesk: Bool

    /// The folder of libraries; in the layout `documents`, libraries may also be in its subfolders.
    var libraries: BookPlace {
        switch layout {
        case .linkedFiles: BookPlace(root: root, folder: Self.dropbox + "/BibFiles")
        case .flat: BookPlace(root: root, folder: Self.dropbox)
        case .documents: BookPlace(root: root)
        }
    }

    /// The folder of papers, which may have subfolders.
    var papers: BookPlace {
        layout == .linkedFiles ? BookPlace(root: root, folder: Self.dropbox + "/LinkedFiles") : libraries
    }

    /// The folder in the app's caches for papers that were requested; iOS may empty it. Nil if the caches cannot be
    /// reached.
    var cachedPapers: BookPlace? {
        root == .container ? BookPlace(root: root, folder: "/Library/Caches/OverlayHost/LinkedFiles") : nil
    }

    /// The staging folder, which is on the same volume and which the app does not read. It is a hidden folder if only
    /// the shared folder can be reached.
    var staging: String { root == .container ? "/tmp/OverlayHost" : "/Documents/.overlayhost-unfinished" }

    /// Whether a name in that folder is that of a partly sent paper, which the host will continue to send.
    static func isPartial(_ name: String) -> Bool {
        name.hasPrefix(".overlayhost-") && name.hasSuffix(".begun")
    }

    /// The bytes of all partly sent papers.
    func partialBytes(_ host: HostServices) throws(OverlayError) -> UInt64 {
        do throws(OverlayError) {
            let names = try host.transport.list(root, staging).map(\.name).filter(Self.isPartial)
            return try host.transport.stat(root, names.map { staging + "/" + $0 }).reduce(0) { sum, found in
                guard case .success(let info) = found else { return sum }
                return sum.addingReportingOverflow(info.size).partialValue
            }
        } catch {
            guard error.status == .notFound else { throw error }
            return 0
        }
    }

    /// The folder in which hosts store data for each other. The app does not read it.
    var ownFolder: String { root == .container ? "/Library/Application Support/OverlayHost" : "/Documents" }

    /// Finds the folders of the present app. Tries the newest layout first; the folders determine the app's
    /// generation.
    ///
    /// - Throws: `accessRefused` with the reason if iOS opens neither the container nor the shared folder.
    static func find(_ host: HostServices) throws(OverlayError) -> ReferenceStore {
        let root = try root(host)
        let appID = try host.transport.device().appID
        func store(_ layout: Layout) -> ReferenceStore {
            ReferenceStore(root: root, layout: layout, isBibDesk: layout != .documents || appID == bibDeskID)
        }
        guard root == .container else { return store(.documents) }
        let names = try names(host, root, dropbox) ?? []
        if names.contains("BibFiles") { return store(.linkedFiles) }
        if names.contains(where: LibraryName.isLibrary) { return store(.flat) }
        let shared = try self.names(host, root, "/Documents") ?? []
        if appID != bibDeskID || shared.contains(where: LibraryName.isLibrary) { return store(.documents) }
        // An app that was never opened does not have folders yet. It is treated as the last generation, unless its
        // own folder exists.
        return store(names.isEmpty ? .linkedFiles : .flat)
    }

    /// The root through which the app is reached. Does not send requests to the device.
    static func root(_ host: HostServices) throws(OverlayError) -> Root {
        let roots = try host.transport.roots()
        for root in [Root.container, .documents]
        where roots.contains(where: { $0.root == root && $0.granted }) {
            return root
        }
        let device = try host.transport.device()
        let name = device.appName ?? "the app"
        let reasons = [Root.container, .documents].compactMap { root in
            roots.first { $0.root == root }?.reason
        }
        throw OverlayError(
            .accessRefused,
            "iOS\(device.iosVersion.map { " " + $0 } ?? "") does not open the files of \(name). "
                + "From iOS 8.3 on it opens a container only if the app is signed for development, and the shared "
                + "folder only if the app has file sharing.",
            hint: ([
                "Build the app with your own developer identity, or turn on file sharing "
                    + "(UIFileSharingEnabled) in it."
            ] + reasons.map { "The device says: " + $0 }).joined(separator: " "))
    }

    private static func names(_ host: HostServices, _ root: Root, _ folder: String) throws(OverlayError)
        -> [String]?
    {
        do throws(OverlayError) {
            return try host.transport.list(root, folder).map(\.name)
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
    }
}
