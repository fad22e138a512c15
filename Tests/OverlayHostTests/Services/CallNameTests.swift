import Foundation
import OverlayABI
import OverlayBridge
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayWorkers
@testable import OverlayHost

@Suite("Programs that use one device take turns by the names of their methods")
struct CallNameTests {
    /// The name of the running method, as the overlay receives it.
    private static func name(_ fake: FakeOverlay) -> String? {
        final class Found { var text: String? }
        let found = Found()
        var sink = ovl_text_sink.sized()
        sink.ctx = Unmanaged.passUnretained(found).toOpaque()
        sink.put = { context, text in
            guard let context else { return OVL_FAILED }
            Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().text = text.pointee.readMessage()
            return OVL_OK
        }
        let calls = fake.calls
        guard calls.name_call?(calls.ctx, &sink, nil) == OVL_OK else { return nil }
        return found.text
    }

    private static func hasEnded(_ name: String, _ fake: FakeOverlay) -> Int32? {
        let (memory, calls) = (Arena(), fake.calls)
        var text = memory.text(name)
        return withExtendedLifetime(memory) { calls.has_ended?(calls.ctx, &text) }
    }

    @Test("Each call has a new, short and plain name, which is valid until its method has returned")
    func lasts() throws {
        let environment = try FakeEnvironment()
        var names: [String] = []
        var within: [Int32?] = []
        environment.fake.books = { [fake = environment.fake] _, _, _ in
            for _ in 0..<2 { names += [Self.name(fake)].compactMap { $0 } }
            within += names.map { Self.hasEnded($0, fake) }
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        _ = try instance.books()
        #expect(names.count == 2 && Set(names).count == 2)
        #expect(within == [0, 0])
        #expect(names.allSatisfy { Self.hasEnded($0, environment.fake) == 1 })
        #expect(
            names.allSatisfy { $0.utf8.count <= CallName.longest && $0.wholeMatch(of: #/[0-9a-z-]+/#) != nil }
        )
        _ = try instance.books()
        #expect(within == [0, 0, 1, 1, 0, 0])
    }

    @Test("Outside of a method a call has no name")
    func outside() throws {
        let environment = try FakeEnvironment()
        let instance = try environment.attached()
        defer { instance.destroy() }
        #expect(Self.name(environment.fake) == nil)
    }

    @Test("The end of a program on the same computer is known")
    func programs() throws {
        let own = CallName.make()
        defer { own.end() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        #expect(!own.hasEnded)
        #expect(CallName(own.text) == own)
        let ended = CallName(token: 8, host: own.host, process: process.processIdentifier, began: 5)
        #expect(ended.hasEnded)
        // A later process with the same number.
        #expect(CallName(token: 8, host: own.host, process: getppid(), began: 5).hasEnded)
        // Another method of this process that is still known.
        #expect(
            CallName(token: own.token ^ 1, host: own.host, process: own.process, began: own.began).hasEnded)
    }

    @Test(
        "The end of programs on other computers and of damaged names is not known",
        arguments: [
            "7-e15e-1-1", "", "-", "1-2-3", "1-2-3-4-5", "x-y-z-w", "1-0-1-0", "1-2--3-4",
            String(repeating: "1", count: 4000),
        ])
    func others(text: String) throws { #expect(CallName(text)?.hasEnded != true) }
}
