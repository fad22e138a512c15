import FoundationEssentials
import Glibc

extension SimulatedDevice {
    /// `café.epub` in Latin-1.
    private static let undecodableName: [CChar] = [0x63, 0x61, 0x66, -0x17, 0x2E, 0x65, 0x70, 0x75, 0x62, 0]

    /// Makes a file with a name that is not UTF-8 in each folder that the rules name, where the folder exists.
    func makeUndecodableNames(_ settings: SimulatedDeviceSettings) throws {
        let roots = [mediaFolder] + settings.apps.map { containerFolder(of: $0.bundleID) }
        for path in settings.fileRules.foldersWithUndecodableNames {
            for root in roots { try makeUndecodableName(in: path, of: root) }
        }
    }

    private func makeUndecodableName(in path: String, of root: URL) throws(AFCFailure) {
        do throws(AFCFailure) {
            let place = try ConfinedRoot(folder: root.path).locate(path, following: true)
            let folder = try FolderDescriptor(opening: place.name, in: place.folder.number)
            let file = try AFCFailure.check {
                openat(
                    folder.number, Self.undecodableName, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
            }
            _ = close(file)
        } catch {
            if error.status != .objectNotFound { throw error }
        }
    }
}
