import OverlayTestSupport
import WorkerRPC
import CSystemShims
import DeviceTransport
import OverlayBridge
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayWorkers
@testable import OverlayHost
@testable import OverlayLoading

@Suite("A worker that breaks down fails only one call")
struct WorkerFailureTests {
    /// The result of `delete_books` with this path, and that of the next call.
    private func failure(
        _ word: String, _ change: (inout WorkerOptions) -> Void = { _ in },
        at location: SourceLocation = #_sourceLocation
    ) throws -> HostError {
        let world = try WorkerWorld([], change)
        let instance = try world.attached()
        defer { instance.destroy() }
        let broken = instance.deleteBooks([word])
        let error = try #require(broken.failure, sourceLocation: location)
        #expect(error.code == .overlayBroke, sourceLocation: location)
        #expect(error.exitStatus == .overlayBroke, sourceLocation: location)
        #expect(error.subject == "faulty", sourceLocation: location)
        #expect(
            error.message.contains("in its method delete_books"), "\(error.message)", sourceLocation: location
        )
        // The session continues in a new worker in the same state as the first one.
        let after = instance.deleteBooks(["nothing special"])
        #expect(after.failure == nil, "\(after.failure?.description ?? "")", sourceLocation: location)
        #expect(after.rows.first??.outcome == .deleted, sourceLocation: location)
        let initialized = world.environment.log.lines.filter { $0.message == "initialized" }.count
        #expect(initialized == 2, sourceLocation: location)
        return error
    }

    @Test("An access to invalid memory names the signal and the method")
    func segmentation() throws {
        #expect(try failure("segv").message.contains("SIGSEGV"))
    }

    @Test("The last service call is named")
    func lastService() throws {
        #expect(try failure("ask and segv").message.contains("ovl_transport_service.device"))
    }

    @Test("A trap is a signal, too")
    func trap() throws { #expect(try failure("trap").message.contains("SIGILL")) }

    @Test("An abort is reported with the last words on standard error")
    func abort() throws {
        let message = try failure("abort").message
        #expect(message.contains("SIGABRT"))
        #expect(message.contains("the last words"))
    }

    @Test(
        "An overlay that crashed after it logged a refusal gets a hint about the confinement"
    )
    func refusal() throws {
        let hint = try #require(try failure("complain and abort").hint)
        #expect(hint.contains("may not use local files, sockets or other programs"), "\(hint)")
        #expect(try failure("abort").hint?.contains("sockets") == false)
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        let told = try #require(instance.deleteBooks(["complain"]).failure)
        #expect(told.message == "passwd: Permission denied")
        #expect(told.hint?.contains("local files, sockets") == true)
    }

    @Test("A call of exit ends the worker and not the host")
    func exit() throws { #expect(try failure("exit").message.contains("exited with status 3")) }

    @Test("An endless loop is ended when it has asked for nothing for too long")
    func loop() throws {
        #expect(
            try failure("loop") { $0.silence = .milliseconds(300) }.message.contains(
                "without calling the host"))
    }

    @Test("A worker that allocates endlessly gets no more than its share of memory")
    func memory() throws {
        let message = try failure("memory") { $0.memory = 256 << 20 }.message
        #expect(message.contains("of its 256 MiB of memory"), "\(message)")
    }

    @Test("A stack overflow is an access to invalid memory as well")
    func recursion() throws { #expect(try failure("recurse").message.contains("SIGSEGV")) }

    @Test("A crash is attributed to memory by the worker's usage, not by its host's")
    func memoryOfTheHost() throws {
        // The kernel counts the peak of a process from before it became the program.
        let size = 200 << 20
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
        memset(memory, 1, size)
        memory.deallocate()
        let small = try failure("segv") { $0.memory = 256 << 20 }.message
        #expect(!small.contains("MiB"), "\(small)")
        let large = try failure("take and segv") { $0.memory = 256 << 20 }.message
        #expect(large.contains("SIGSEGV") && large.contains("of its 256 MiB of memory"), "\(large)")
    }

    @Test("Memory of a process that the overlay has started is not attributed to the worker")
    func memoryOfChildren() throws {
        let message = try failure("lose a child") {
            $0.memory = 256 << 20
            $0.withheld = UInt32(SHIM_SECCOMP)
        }.message
        #expect(message.contains("SIGKILL") && !message.contains("MiB"), "\(message)")
    }

    @Test("A malformed message ends the worker, also on the connection of its threads")
    func garbageAside() throws {
        #expect(try failure("garbage aside").message.contains("sent an invalid call"))
    }

    @Test("An incomplete message ends the worker when it has been silent for too long")
    func half() throws {
        #expect(
            try failure("half a message") { $0.silence = .milliseconds(300) }.message.contains(
                "without calling the host"))
    }

    @Test("A malformed message ends the worker")
    func garbage() throws { #expect(try failure("garbage").message.contains("no valid beginning")) }

    @Test("A message over the limit ends the worker")
    func oversized() throws {
        #expect(try failure("oversized").message.contains("A message has 1099511627776 bytes."))
    }

    @Test("A worker that hangs up is ended")
    func hangUp() throws { #expect(try failure("hang up").message.contains("closed its connection")) }

    @Test("A flood of output is read, remembered by its end, and reported once")
    func flood() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        #expect(instance.deleteBooks(["flood", "flood"]).failure == nil)
        let reports = world.environment.log.lines.filter { $0.message.contains("standard output") }
        #expect(reports.count == 1)
    }

    @Test("A worker that goes on after a cancel is ended")
    func ignoresCancel() throws {
        let world = try WorkerWorld([]) { $0.afterCancel = .milliseconds(200) }
        let instance = try world.attached()
        defer { instance.destroy() }
        let cancellation = world.environment.cancellation
        world.environment.progress.onUpdate { _ in cancellation.cancel() }
        let error = try #require(instance.deleteBooks(["ignore cancel"]).failure)
        #expect(error.code == .overlayBroke)
        #expect(error.message.contains("was cancelled"))
    }

    @Test("A cancel reaches an overlay that asks for it")
    func cancel() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        let cancellation = world.environment.cancellation
        world.environment.progress.onUpdate { _ in cancellation.cancel() }
        #expect(instance.deleteBooks(["wait for cancel"]).failure?.code == .cancelled)
    }

    /// The macros that give a method of the faulty overlay limits in nanoseconds.
    private func limited(_ method: String, total: UInt64 = 0, silence: UInt64 = 0) -> [String] {
        ["LIMITED=\"\(method)\"", "TOTAL=\(total)u", "SILENCE=\(silence)u"]
    }

    @Test("A method past its time limit is notified")
    func deadline() throws {
        let world = try WorkerWorld(limited("delete_books", total: 200_000_000))
        let instance = try world.attached()
        defer { instance.destroy() }
        let process = try instance.ask("process")
        #expect(instance.deleteBooks(["wait for cancel"]).failure?.code == .cancelled)
        // Not the method whose limit is so short that it may be over before the method has begun.
        #expect(try instance.ask("process") == process)
    }

    @Test("A method that goes on after its time is over is ended")
    func ignoresDeadline() throws {
        let world = try WorkerWorld(limited("delete_books", total: 200_000_000)) {
            $0.afterCancel = .milliseconds(200)
        }
        let instance = try world.attached()
        defer { instance.destroy() }
        let error = try #require(instance.deleteBooks(["ignore cancel"]).failure)
        #expect(error.code == .overlayBroke)
        #expect(error.message.contains("did not return within 0.2 seconds"), "\(error.message)")
    }

    @Test("An overlay may shorten the permitted silence")
    func silence() throws {
        let world = try WorkerWorld(limited("delete_books", silence: 300_000_000))
        let instance = try world.attached()
        defer { instance.destroy() }
        let error = try #require(instance.deleteBooks(["loop"]).failure)
        #expect(error.message.contains("without calling the host"), "\(error.message)")
    }

    @Test("An overlay that hangs in shutdown does not hold its host up")
    func hangsInShutdown() throws {
        let world = try WorkerWorld(["HANG_IN_SHUTDOWN"] + limited("shutdown", total: 200_000_000))
        let error = try #require(try world.attached().destroy())
        #expect(error.code == .overlayBroke)
        #expect(error.message.contains("did not return within 0.2 seconds"), "\(error.message)")
    }

    @Test("An overlay that computes is notified when its device is gone")
    func gone() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        let device = world.environment.device
        world.environment.progress.onUpdate { _ in device.unplug() }
        #expect(instance.deleteBooks(["wait for cancel"]).failure?.code == .deviceGone)
    }

    @Test("A worker that ends between two calls costs only a line in the log")
    func endsBetweenCalls() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        let first = try #require(Int32(try instance.ask("process")))
        #expect(kill(first, SIGKILL) == 0)
        #expect(instance.deleteBooks(["nothing special"]).failure == nil)
        #expect(try instance.ask("process") != "\(first)")
        #expect(
            world.environment.log.lines.contains {
                $0.message.contains("SIGKILL") && $0.message.contains("while idle")
            })
    }

    @Test("A fresh worker begins also if the private copy of its library has been removed")
    func removedLibrary() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        let copy = world.overlay.loadedFile
        try FileManager.default.removeItem(atPath: (copy as NSString).deletingLastPathComponent)
        #expect(instance.deleteBooks(["segv"]).failure?.code == .overlayBroke)
        #expect(instance.deleteBooks(["nothing special"]).failure == nil)
        #expect(FileManager.default.fileExists(atPath: copy))
    }

    @Test("A fresh worker learns the former one's state again, and registers its sniffers again")
    func repeats() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        #expect(try instance.ask("what is known") == "nothing")
        let device = Fingerprint.appleDevice(udid: "0123456789")
        #expect(try instance.canHandle(device).answer == .yes)
        #expect(try instance.ask("what is known") == "0123456789")
        for _ in 0..<2 {
            #expect(instance.deleteBooks(["segv"]).failure?.code == .overlayBroke)
            #expect(try instance.ask("what is known") == "0123456789")
        }
    }

    @Test("The session with the device survives")
    func session() throws {
        let world = try WorkerWorld()
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.apps = [SimulatedApp(bundleID: "com.example.reader", name: "Reader", version: "3.1")]
        try withSimulatedDevice(settings) { device in
            var request = try world.environment.request()
            request.device = device.settings.udid
            request.overlays = OverlayCatalog(found: [
                DiscoveredOverlay(
                    file: "faulty.so", folder: PluginFolder(path: "/", origin: .option),
                    state: .ready(world.overlay), descriptor: world.overlay.descriptor)
            ])
            let session = try HostSession(request)
            defer { session.close() }
            #expect(try session.books().count == 20_000)
            // A newly opened session asks the device for its identity. Connections may come and go over time.
            let questions = device.counters.requests["lockdown.GetValue"]
            #expect(questions != nil)
            #expect(session.link.instance.deleteBooks(["segv"]).failure?.code == .overlayBroke)
            #expect(try session.books().count == 20_000)
            #expect(device.counters.requests["lockdown.GetValue"] == questions)
        }
    }

    @Test("Restarts are limited")
    func restarts() throws {
        let world = try WorkerWorld([]) { $0.restarts = 2 }
        let instance = try world.attached()
        defer { instance.destroy() }
        for _ in 0..<3 { #expect(instance.deleteBooks(["trap"]).failure?.message.contains("SIGILL") == true) }
        let error = instance.deleteBooks(["nothing special"]).failure
        #expect(error?.message.contains("not be restarted") == true, "\(error?.message ?? "")")
    }

    @Test("An overlay that crashes while it is loaded is refused")
    func crashesWhenLoaded() throws {
        let error = hostError { () throws(HostError) in
            do { _ = try WorkerWorld(["CRASH_WHEN_LOADED"]) } catch let error as HostError {
                throw error
            } catch {}
        }
        #expect(error?.code == .overlayRefused)
        #expect(error?.message.contains("SIGABRT") == true, "\(error?.message ?? "")")
    }

    @Test("An overlay that never returns while it is loaded is refused")
    func hangsWhenLoaded() throws {
        let error = hostError { () throws(HostError) in
            do { _ = try WorkerWorld(["HANG_WHEN_LOADED"]) { $0.start = .milliseconds(300) } } catch let error
                as HostError
            {
                throw error
            } catch {}
        }
        #expect(error?.code == .overlayRefused)
        #expect(error?.message.contains("without calling the host") == true, "\(error?.message ?? "")")
    }

    @Test("Threads of an overlay use the services that any thread may use")
    func threads() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        #expect(instance.deleteBooks(["thread"]).failure == nil)
        #expect(world.environment.log.lines.contains { $0.message == "from another thread" })
    }

    @Test("Long lists and large files arrive whole")
    func bulk() throws {
        let world = try WorkerWorld()
        let instance = try world.attached()
        defer { instance.destroy() }
        let books = try instance.books()
        #expect(books.count == 20_000)
        #expect(books[19_999].path == "/books/19999.epub")
        #expect(books[7].authors == ["An Author", "Another"])
        // The last one is sent as shared memory.
        for size in [0, 1, 1000, 5 << 20, 33 << 20] {
            let bytes = CollectedBytes()
            #expect(try instance.getFile("size \(size)") { bytes.add($0) }.count == UInt64(size))
            #expect(bytes.all.count == size)
            let places = stride(from: 0, to: size, by: max(1, size / 1000))
            #expect(places.allSatisfy { bytes.all[$0] == UInt8(truncatingIfNeeded: $0 &* 31) })
        }
    }
}
