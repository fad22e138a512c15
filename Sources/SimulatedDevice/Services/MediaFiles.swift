/// com.apple.afc: the Media folder.
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
