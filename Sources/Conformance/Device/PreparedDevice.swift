import FoundationEssentials
import Glibc
import OverlayHost
import Platform
import SimulatedDevice

/// A copy of a simulated device that the user has prepared, for example by opening its app.
struct PreparedDevice {
    /// Its settings, with its own UDID.
    let settings: SimulatedDeviceSettings
    /// The app of the overlay.
    let app: SimulatedApp
    /// How its Marvin apps behave.
    let behaviour: MarvinBehaviour?

    /// Copies the files of apps and media in `folder` to `home`; `settings` supply what the folder's own settings
    /// leave out.
    init(
        _ folder: String, copiedTo home: URL, for descriptor: OverlayDescription,
        _ settings: SimulatedDeviceSettings
    ) throws {
        let folder = URL(fileURLWithPath: folder)
        let file = folder.appendingPathComponent("device.json")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw HostError(
                .inputUnreadable, "The folder has no simulated device.", subject: folder.path,
                hint: "Create one with: overlayhost simulate DIR")
        }
        let lock = try Self.lock(folder)
        defer { withExtendedLifetime(lock) {} }
        var stated = settings
        do {
            let document = try SimulatedDeviceFile(contentsOf: file)
            try document.apply(to: &stated)
            behaviour = try document.marvinBehaviour()
        } catch {
            throw HostError(
                .configuration, "Cannot use the settings of the device: \(error)", subject: file.path,
                underlying: error)
        }
        (stated.udid, stated.attachment) = (settings.udid, settings.attachment)
        self.settings = stated
        app = try Self.app(of: descriptor, in: stated.apps, folder)
        try Self.copy(folder, to: home)
    }

    /// Keeps the device in a folder from running during the copy, because its files could change.
    private static func lock(_ folder: URL) throws(HostError) -> DeviceFolderLock {
        do throws(SimulationError) {
            return try DeviceFolderLock(folder.path, for: .copying)
        } catch {
            throw HostError(
                .inputUnreadable, error.message, subject: folder.path,
                hint: error.code == .folderInUse ? "Stop the device, or choose another folder." : nil,
                native: error.native, underlying: error)
        }
    }

    /// Copies the files of apps and media, because the trials change them. If the folder itself has links to other
    /// places, their targets are copied; links further down must not lead outside.
    private static func copy(_ folder: URL, to home: URL) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: home, withIntermediateDirectories: true)
        let names = try manager.contentsOfDirectory(atPath: folder.path)
        if names.contains("Media") {
            let media = try resolved(folder.path + "/Media")
            try manager.copyItem(atPath: media, toPath: home.path + "/Media")
        }
        if names.contains("Containers") {
            let containers = try resolved(folder.path + "/Containers")
            let copy = home.path + "/Containers"
            try manager.createDirectory(atPath: copy, withIntermediateDirectories: false)
            for name in try manager.contentsOfDirectory(atPath: containers) {
                try manager.copyItem(atPath: try resolved("\(containers)/\(name)"), toPath: "\(copy)/\(name)")
            }
        }
        let inside = try resolved(home.path) + "/"
        for path in try manager.subpathsOfDirectory(atPath: home.path) {
            let copy = home.path + "/" + path
            guard try manager.attributesOfItem(atPath: copy)[.type] as? FileAttributeType == .typeSymbolicLink
            else { continue }
            guard let target = realpath(copy, nil) else {
                throw wrongLink(folder, path, "is broken")
            }
            defer { free(target) }
            guard String(cString: target).hasPrefix(inside) else {
                throw wrongLink(folder, path, "points outside the device")
            }
        }
    }

    /// The path with links resolved.
    private static func resolved(_ path: String) throws(HostError) -> String {
        guard let real = realpath(path, nil) else {
            let code = errno
            throw HostError(
                .inputUnreadable, "Cannot copy the simulated device: \(systemText(code)).",
                subject: path, native: .posix(code))
        }
        defer { free(real) }
        return String(cString: real)
    }

    private static func wrongLink(_ folder: URL, _ path: String, _ fault: String) -> HostError {
        HostError(
            .inputUnreadable, "A symbolic link in the simulated device \(fault).",
            subject: folder.appendingPathComponent(path).path,
            hint: "Replace it with its target, or remove it.")
    }

    private static func app(
        of descriptor: OverlayDescription, in apps: [SimulatedApp], _ folder: URL
    ) throws(HostError) -> SimulatedApp {
        if let app = apps.first(where: { descriptor.appIDs.contains($0.bundleID) }) { return app }
        let servesAny = descriptor.traits.contains(.anyFileSharingApp)
        if servesAny, let app = apps.first(where: { $0.fileSharing && !$0.isSystem }) { return app }
        throw HostError(
            .appNotInstalled, "The simulated device has no app that \(descriptor.name) serves.",
            subject: folder.path,
            hint: "Add one to 'apps' in its device.json: \(descriptor.appIDs.joined(separator: ", ")).")
    }
}
