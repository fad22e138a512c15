import Synchronization
import Testing

@testable import OverlayHost
@testable import OverlayHostCLI

@Suite("The commands of a watch end with it")
struct ShellCommandsTests {
    @Test("After the stop no command is started")
    func stopped() {
        let notes = Notes()
        let commands = ShellCommands("exec sleep 100000") { note in
            notes.texts.withLock { $0.append(note) }
        }
        defer { commands.stop() }
        commands.stop()
        // If it ran, the second start would be refused with a note.
        for event in ["attached", "detached", "attached"] {
            commands.take(DeviceWatch.Event(event: event, udid: "A", connection: "usb", time: 0))
        }
        let texts = notes.texts.withLock { $0 }
        #expect(texts.isEmpty)
    }

    private final class Notes: Sendable {
        let texts = Mutex<[String]>([])
    }
}
