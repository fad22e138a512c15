import OverlayKit

/// What iOS lets a host do with the present app.
enum MarvinAccess: Equatable {
    /// The library and the command files can be reached, so everything works.
    case library(MarvinPaths)
    /// Only the shared documents can be reached: iOS 8.3 and later with an app from the App Store.
    case documents(MarvinPaths)
    /// Nothing can be reached; includes the reason and a hint.
    case none(reason: String, hint: String)

    /// The access that the granted roots give to these paths.
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

/// Hints for the user.
enum MarvinHint {
    static let connect =
        "Open Marvin on the device, turn on its calibre connection, and keep the device awake."
    static let damaged =
        "Restart Marvin on the device. If it shows its books, try again; otherwise, restore a backup in "
        + "Marvin."
    static let otherAnnotations =
        "This version of Marvin may store them in another way. Look for a newer version of OverlayHost."
    static let restart = "Restart Marvin on the device, then run the same command again."
    static let busy = "Wait until Marvin is idle, then try again."
    static let container =
        "Marvin keeps its library in its container, which is accessible only before iOS 8.3 or for a "
        + "copy of Marvin signed for development."
}
