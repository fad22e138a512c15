import DeviceTransport
import OverlayABI
import Platform
import Synchronization
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("Many sessions run at once in one process, each with its own device")
struct ManySessionsTests {
    /// The result of one session.
    private struct Outcome: Sendable {
        var title: String?
        var stored: [UInt8]?
        var failure: HostError?
    }

    /// Lists the only book of a device, whose overlay stores the device's number and reads it again.
    private func list(_ number: Int, gone: Bool, meeting: Barrier) -> Outcome {
        var outcome = Outcome()
        do {
            let device = FakeDevice(udid: "device-\(number)")
            let environment = try FakeEnvironment(device: device)
            let place = Mutex<[UInt8]>([])
            environment.fake.books = { [fake = environment.fake] _, sink, _ in
                let table = fake.storage
                let number = [UInt8](repeating: UInt8(number), count: 100_000)
                let kept = number.lend { view in
                    withText("number") { table.put?(table.ctx, OVL_STORAGE_CACHE, $0, view, nil) ?? -1 }
                }
                // All of them are within their method now.
                meeting.wait()
                let receiver = BytesReceiver { piece, _ in
                    place.withLock { $0 += piece }
                    return true
                }
                let read = receiver.sink { bytes in
                    withText("number") { table.get?(table.ctx, OVL_STORAGE_CACHE, $0, bytes, nil) ?? -1 }
                }
                guard kept == OVL_OK, read == OVL_OK else { return OVL_FAILED }
                if gone { device.unplug() }
                var book = BookRecord(path: "/a")
                book.title = "Book of \(number[0])"
                sink.put(book)
                return gone ? OVL_DEVICE_GONE : OVL_OK
            }
            let session = try environment.session()
            defer { session.close() }
            do throws(HostError) {
                outcome.title = try session.books().first?.title
            } catch {
                outcome.failure = error
            }
            outcome.stored = place.withLock { $0 }
        } catch {
            Issue.record(error)
        }
        return outcome
    }

    @Test("Twenty sessions list their own books and keep their own files while one loses its device")
    func twenty() throws {
        let count = 20
        let meeting = Barrier(count)
        let outcomes = SimultaneousRun.map(Array(0..<count)) { number in
            list(number, gone: number == 7, meeting: meeting)
        }
        #expect(outcomes.count == count)
        for (number, outcome) in outcomes.enumerated() {
            #expect(outcome.stored == [UInt8](repeating: UInt8(number), count: 100_000))
            if number == 7 {
                #expect(outcome.failure?.code == .deviceGone)
            } else {
                #expect(outcome.title == "Book of \(number)" && outcome.failure == nil)
            }
        }
    }
}

/// Releases the threads together when the expected number has arrived.
private final class Barrier: Sendable {
    private let count: Int
    private let missing: Mutex<Int>
    private let gate = Gate()

    init(_ count: Int) {
        self.count = count
        missing = Mutex(count)
    }

    func wait() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        guard isLast else { return gate.wait() }
        for _ in 1..<count { gate.open() }
    }
}
