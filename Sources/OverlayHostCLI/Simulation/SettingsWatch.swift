import FoundationEssentials
import SimulatedDevice
import Glibc
import OverlayHost
import Platform

/// Notices when settings files of simulated devices are written or replaced.
final class SettingsWatch {
    private let events: FolderEvents
    private var simulations: [Int32: Simulation] = [:]

    /// Watches the folders of the devices. Throws `hostIO` if the system has no watches left.
    init(_ simulations: [Simulation]) throws(HostError) {
        guard let events = FolderEvents() else {
            throw HostError(
                .hostIO, "Cannot watch the settings file: \(systemText(errno)).", native: .posix(errno))
        }
        self.events = events
        for simulation in simulations {
            let folder = simulation.device.folder.path
            guard let watch = events.watch(folder, for: UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)) else {
                throw HostError(
                    .hostIO, "Cannot watch the settings file: \(systemText(errno)).",
                    subject: simulation.settingsFile.path,
                    native: .posix(errno))
            }
            self.simulations[watch] = simulation
        }
    }

    /// The devices with changed files; waits at most 200 ms for the first change.
    func changed() -> [Simulation] {
        var waiting = pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 200) > 0 else { return [] }
        var found: [Simulation] = []
        for event in events.take() {
            guard let simulation = simulations[event.watch],
                event.name == simulation.settingsFile.lastPathComponent,
                !found.contains(where: { $0 === simulation })
            else { continue }
            found.append(simulation)
        }
        return found
    }
}
