import OverlayTestSupport
import DeviceTransport
import Foundation
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

@Suite("An overlay that abuses its connection is ended in time")
struct HostileConnectionTests {
    /// A limit of a worker that a method can exceed.
    enum Limit: String, CaseIterable {
        case silence = "without calling the host"
        case deadline = "did not return within 0.2 seconds"
        case cancel = "was cancelled"
    }

    /// The reason why `delete_books` with this path failed.
    private func failure(_ world: WorkerWorld, _ word: String) throws -> String {
        let instance = try world.attached()
        defer { instance.destroy() }
        let error = try #require(instance.deleteBooks([word]).failure)
        #expect(error.code == .overlayBroke)
        return error.message
    }

    @Test(
        "Half a message on the connection of its threads, sent byte by byte, does not disable a limit",
        arguments: Limit.allCases)
    func drip(_ limit: Limit) throws {
        let macros =
            limit == .deadline ? ["LIMITED=\"delete_books\"", "TOTAL=200000000u", "SILENCE=0"] : []
        let world = try WorkerWorld(macros, of: HostileOverlay.self) {
            if limit == .silence { $0.silence = .milliseconds(300) }
            $0.afterCancel = .milliseconds(200)
        }
        let cancellation = world.environment.cancellation
        if limit == .cancel { world.environment.progress.onUpdate { _ in cancellation.cancel() } }
        let message = try failure(world, "drip")
        #expect(message.contains(limit.rawValue), "\(message)")
    }

    @Test("Half a message does not disable a limit while the overlay is loaded either")
    func dripWhenLoaded() throws {
        let error = #expect(throws: HostError.self) {
            _ = try WorkerWorld(["DRIP_WHEN_LOADED"], of: HostileOverlay.self) {
                $0.start = .milliseconds(300)
            }
        }
        #expect(error?.code == .overlayRefused)
        #expect(
            error?.message.contains("without calling the host") == true, "\(String(describing: error))")
    }

    @Test("An answer that does not fit the question is discarded, and ends the worker")
    func wrongKind() throws {
        let world = try WorkerWorld([], of: HostileOverlay.self)
        // Each call so far has sent two questions: whether its sinks take rows, and for its answer.
        let message = try failure(world, "answer 4 wrongly")
        #expect(message.contains("An answer does not match its call."), "\(message)")
    }
}
