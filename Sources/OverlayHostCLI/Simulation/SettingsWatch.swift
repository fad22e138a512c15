import Glibc
import OverlayHost

/// Notices that settings files of simulated devices were written, or put in place of former ones.
final class SettingsWatch {
    private let descriptor: Int32
    private var simulations: [Int32: Simulation] = [:]

    /// Watches the folders of the devices. Throws `hostIO` when the system has no watches left.
    init(_ simulations: [Simulation]) throws(HostError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw HostError(.hostIO, "Cannot watch the settings file.", native: .posix(errno))
        }
        for simulation in simulations {
            let folder = simulation.device.folder.path
            let watch = inotify_add_watch(descriptor, folder, UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO))
            guard watch >= 0 else {
                throw HostError(
                    .hostIO, "Cannot watch the settings file.", subject: simulation.settingsFile.path,
                    native: .posix(errno))
            }
            self.simulations[watch] = simulation
        }
    }

    /// The devices with changed files; waits for the first change at most 200 ms.
    func changed() -> [Simulation] {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 200) > 0 else { return [] }
        // One event has at most 16 bytes and a name of 255.
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        var found: [Simulation] = []
        buffer.prefix(max(0, count)).withUnsafeBytes { events in
            let head = MemoryLayout<inotify_event>.size
            var offset = 0
            while offset + head <= events.count {
                let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let name = events.dropFirst(offset + head).prefix(Int(event.len)).prefix { $0 != 0 }
                offset += head + Int(event.len)
                guard let simulation = simulations[event.wd],
                    String(decoding: name, as: UTF8.self) == simulation.settingsFile.lastPathComponent,
                    !found.contains(where: { $0 === simulation })
                else { continue }
                found.append(simulation)
            }
        }
        return found
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
