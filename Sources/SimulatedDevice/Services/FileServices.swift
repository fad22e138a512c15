import FoundationEssentials
import PropertyLists
import DeviceWire

/// The house_arrest service, which opens an app's files on the connection that requests them.
struct HouseArrest {
    static let serviceName = "com.apple.mobile.house_arrest"
    /// The first version of iOS in which the containers of App Store apps, and all files of apps that are part of
    /// iOS, cannot be opened.
    static let closedContainers = IOSVersion(8, 3)

    let device: SimulatedDevice
    let stream: any ServiceStream

    func run() throws {
        let channel = PropertyListChannel(stream: stream)
        guard let request = try channel.receive() else { return }
        let command = request["Command"]?.string ?? ""
        let isKnown = command == "VendContainer" || command == "VendDocuments"
        try device.accept("house_arrest." + (isKnown ? command : "unknown"), on: stream)
        if command == "VendContainer", device.settings.hangsUpOnContainers { return }
        if let refusal = refusal(command, request["Identifier"]?.string) {
            // A connection accepts one command, even if it is refused.
            return try channel.send(["Error": .string(refusal)])
        }
        let container = device.containerFolder(of: request["Identifier"]?.string ?? "")
        let subtree = command == "VendDocuments" ? "/Documents" : "/"
        let root: ConfinedRoot
        do {
            root = try ConfinedRoot(folder: container.path, subtree: subtree)
        } catch {
            return try channel.send(["Error": "PathMissing"])
        }
        try channel.send(["Status": "Complete"])
        AFCSession(stream: stream, root: root, device: device, isContainer: true).run()
    }

    private func refusal(_ command: String, _ bundleID: String?) -> String? {
        let settings = device.settings
        guard command == "VendContainer" || command == "VendDocuments" else { return "UnknownCommand" }
        guard let app = settings.apps.first(where: { $0.bundleID == bundleID }) else {
            return "ApplicationLookupFailed"
        }
        let isBeforeClosing = IOSVersion(settings.iosVersion) < HouseArrest.closedContainers
        if app.isSystem, !isBeforeClosing { return "InstallationLookupFailed" }
        if command == "VendContainer" {
            return app.developmentSigned || isBeforeClosing ? nil : "InstallationLookupFailed"
        }
        return app.fileSharing ? nil : "InstallationLookupFailed"
    }
}

/// The com.apple.afc service, which opens the Media folder.
struct MediaFiles {
    static let serviceName = "com.apple.afc"

    let device: SimulatedDevice
    let stream: any ServiceStream

    func run() throws {
        AFCSession(
            stream: stream, root: try ConfinedRoot(folder: device.mediaFolder.path), device: device
        ).run()
    }
}
