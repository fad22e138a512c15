import Glibc
import OverlayHost
import Platform

/// Locates the files for new projects: next to the installed program, or in the source tree of a program that was
/// just built.
struct TemplatePlaces {
    /// The folder with a template folder for each language.
    let templates: String
    /// The package that overlays in Swift depend on.
    let overlayKit: String

    /// The contract, with its headers in `include` and its data files.
    var contract: String { overlayKit + "/Sources/OverlayABI" }

    init(templates: String, overlayKit: String) {
        self.templates = templates
        self.overlayKit = overlayKit
    }

    /// Locates the files for a program; throws if they do not exist.
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

    /// `PREFIX/share` if installed, or the folder that contains `.build` if built.
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
