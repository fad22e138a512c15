import OverlayKit

/// What iOS lets a host do with the app at hand.
enum MarvinAccess: Equatable {
    /// The library and the command files can be reached: everything works.
    case library(MarvinPaths)
    /// Only the shared documents: iOS 8.3 and later with an app from the App Store.
    case documents(MarvinPaths)
    /// Nothing; why, and what helps.
    case none(reason: String, hint: String)

    /// The access that the granted roots give to these places.
    init(_ paths: MarvinPaths, _ roots: [RootAccess]) {
        func isGranted(_ root: Root) -> Bool { roots.contains { $0.root == root && $0.granted } }
        var paths = paths
        if isGranted(.container) {
            paths.root = .container
            self = .library(paths)
            return
        }
        if isGranted(.documents) {
            paths.root = .documents
            self = paths.isShared ? .library(paths) : .documents(paths)
            return
        }
        let container = roots.first { $0.root == .container }
        self = .none(
            reason: container?.reason ?? "iOS does not allow access to Marvin's files.",
            hint: [container?.hint, MarvinHint.container].compactMap { $0 }.joined(separator: " "))
    }
}

extension MarvinOverlay {
    /// What can be done with the app at hand; asks the device nothing.
    func access() throws(OverlayError) -> MarvinAccess {
        MarvinAccess(
            try MarvinPaths(version: try marvinVersion(), prefs: host.prefs), try host.transport.roots())
    }

    /// The app with its library.
    ///
    /// - Throws: `accessRefused` when only its documents can be reached, or nothing.
    func device() throws(OverlayError) -> MarvinDevice {
        switch try access() {
        case .library(let paths): return device(paths)
        case .documents:
            throw OverlayError(
                .accessRefused,
                "iOS allows access only to the documents of this Marvin, not to its "
                    + "library.",
                hint: MarvinHint.container)
        case .none(let reason, let hint): throw OverlayError(.accessRefused, reason, hint: hint)
        }
    }

    func device(_ paths: MarvinPaths) -> MarvinDevice {
        MarvinDevice(
            host: host, paths: paths, timing: timing, now: now, wallClock: wallClock, cache: cache)
    }
}
