import Glibc
import OverlayHost
import Platform

/// Where the files are that new projects are made from: beside the installed program, or in the source tree of one that has
/// just been built.
struct TemplatePlaces {
    /// A folder for each language.
    let templates: String
    /// The package that overlays in Swift depend on.
    let overlayKit: String

    /// The contract: its headers in `include`, and the contract as data.
    var contract: String { overlayKit + "/Sources/OverlayABI" }

    init(templates: String, overlayKit: String) {
        self.templates = templates
        self.overlayKit = overlayKit
    }

    /// The places of a program; throws if they are not there.
    init(_ paths: HostPaths) throws(HostError) {
        let places = Self.candidates(executable: paths.executable ?? "")
        guard let found = places.first(where: { access($0.templates + "/c/satchel.c", R_OK) == 0 }) else {
            throw HostError(
                .inputUnreadable, "Cannot find the templates for new projects.",
                subject: places.first?.templates,
                hint: "Install overlayhost with 'make install', or run it from the folder it was built in.")
        }
        self = found
    }

    /// Installed: `PREFIX/share`. Built: the folder that holds `.build`.
    private static func candidates(executable: String) -> [TemplatePlaces] {
        var places: [TemplatePlaces] = []
        let parts = executable.pathParts
        if parts.count > 2 {
            let prefix = parts.dropLast(2).joined(separator: "/")
            places.append(
                TemplatePlaces(
                    templates: "\(prefix)/share/overlayhost/templates",
                    overlayKit: "\(prefix)/share/overlayhost/OverlayKit"))
        }
        if let build = parts.lastIndex(where: { $0 == ".build" || $0.hasPrefix(".build-") }) {
            let root = parts[..<build].joined(separator: "/")
            places.append(
                TemplatePlaces(
                    templates: "\(root)/Examples", overlayKit: "\(root)/Support/OverlayKit"))
        }
        return places
    }
}
