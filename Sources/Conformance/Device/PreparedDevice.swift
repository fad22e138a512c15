import Foundation
import OverlayHost
import SimulatedDevice

/// A copy of a simulated device that a person has prepared, such as one whose app has been opened.
struct PreparedDevice {
    /// Its settings, with a UDID of its own.
    let settings: SimulatedDeviceSettings
    /// The app that the overlay serves.
    let app: SimulatedApp
    /// How its Marvins behave.
    let behaviour: MarvinBehaviour?

    /// Copies what apps and media keep in `folder` to `home`; `settings` are those where the folder's own say nothing.
    init(
        _ folder: String, copiedTo home: URL, for descriptor: OverlayDescriptor,
        _ settings: SimulatedDeviceSettings
    ) throws {
        let folder = URL(fileURLWithPath: folder)
        let file = folder.appendingPathComponent("device.json")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw HostError(
                .inputUnreadable, "There is no simulated device in the folder.", subject: folder.path,
                hint: "Make one with: overlayhost simulate DIR.")
        }
        var stated = settings
        do {
            let document = try SimulatedDeviceFile(contentsOf: file)
            try document.apply(to: &stated)
            behaviour = try document.marvinBehaviour()
        } catch {
            throw HostError(
                .configuration, "The settings of the device cannot be used: \(error)", subject: file.path,
                underlying: error)
        }
        (stated.udid, stated.attachment) = (settings.udid, settings.attachment)
        self.settings = stated
        app = try Self.app(of: descriptor, in: stated.apps, folder)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        for name in ["Media", "Containers"] {
            let source = folder.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: source.path) else { continue }
            try FileManager.default.copyItem(at: source, to: home.appendingPathComponent(name))
        }
    }

    private static func app(
        of descriptor: OverlayDescriptor, in apps: [SimulatedApp], _ folder: URL
    ) throws(HostError) -> SimulatedApp {
        if let app = apps.first(where: { descriptor.appIDs.contains($0.bundleID) }) { return app }
        let servesAny = descriptor.traits.contains(.anyFileSharingApp)
        if servesAny, let app = apps.first(where: { $0.fileSharing && !$0.isSystem }) { return app }
        throw HostError(
            .appNotInstalled, "The simulated device has no app that \(descriptor.name) serves.",
            subject: folder.path,
            hint: "Add one to \"apps\" in its device.json: \(descriptor.appIDs.joined(separator: ", ")).")
    }
}
