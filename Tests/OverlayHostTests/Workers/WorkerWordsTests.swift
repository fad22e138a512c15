import OverlayTestSupport
import DeviceTransport
import Synchronization
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("The output of an overlay in a worker is shown")
struct WorkerWordsTests {
    /// The received lines.
    private final class Heard: Sendable {
        let lines = Mutex<[String]>([])
    }

    @Test(
        "Each line is received with the overlay's name, complete ones before the method has returned"
    )
    func lines() throws {
        let heard = Heard()
        let world = try WorkerWorld([]) { options in
            options.words = { overlay, line in heard.lines.withLock { $0.append("\(overlay): \(line)") } }
        }
        let instance = try world.attached()
        #expect(instance.deleteBooks(["mumble"]).failure == nil)
        let early = heard.lines.withLock { $0 }
        #expect(early.sorted() == ["faulty: aside", "faulty: first line"])
        #expect(instance.deleteBooks(["mumble"]).failure == nil)
        // The next output continues a line that has not ended.
        #expect(heard.lines.withLock { $0 }.contains("faulty: [31msecondfirst line"))
        let reports = world.environment.log.lines.filter { $0.message.contains("standard output") }
        #expect(reports.count == 1, "an overlay must not write there, whether it is shown or not")
        instance.destroy()
        #expect(heard.lines.withLock { $0.last } == "faulty: [31msecond", "nothing will end this line")
    }

    @Test("The last line of an overlay that breaks down is received before the failure, complete or not")
    func lastWords() throws {
        let heard = Heard()
        let world = try WorkerWorld([]) { options in
            options.words = { overlay, line in heard.lines.withLock { $0.append("\(overlay): \(line)") } }
        }
        let instance = try world.attached()
        #expect(instance.deleteBooks(["abort"]).failure != nil)
        #expect(heard.lines.withLock { $0 } == ["faulty: the last words"])
        instance.destroy()
    }

    @Test("An overlay whose name is not known yet is named by its file")
    func loading() throws {
        let heard = Heard()
        let error = hostError { () throws(HostError) in
            do {
                _ = try WorkerWorld(["MUMBLE_WHEN_LOADED"]) { options in
                    options.words = { overlay, line in
                        heard.lines.withLock { $0.append("\(overlay): \(line)") }
                    }
                }
            } catch {
                throw error as? HostError ?? HostError(.failed, "\(error)")
            }
        }
        #expect(error?.code == .overlayRefused)
        #expect(heard.lines.withLock { $0 } == ["faulty.so: good morning"])
    }
}
