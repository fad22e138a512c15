import DeviceWire
import Foundation
import SimulatedDevice
import Testing

@Suite("A fault plan makes the simulated device fail exactly as planned")
struct FaultPlanTests {
    @Test("A planned status affects its path, the paths below it, or the one operation")
    func statusOnPath() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a/b", "x")
        try test.put("/ab", "x")
        try test.fail(
            FaultPlan([
                .status(20, at: .exactly("/a")), .status(10, at: .below("/a"), operation: "REMOVE_PATH"),
            ]))
        #expect(try client.status(.getFileInfo(path: "a/")) == .ioError)
        #expect(try client.information("/a/b").size == 1)
        #expect(try client.status(.removePath(path: "/a/b")) == .permissionDenied)
        #expect(try client.status(.removePath(path: "/a")) == .ioError)
        #expect(test.content("/a/b") == "x")
        #expect(try client.status(.removePath(path: "/ab")) == .success)
        #expect(try client.status(.renamePath(from: "/x", to: "/a")) == .ioError)
    }

    @Test("A request on an open file has the path it was opened with")
    func statusOnHandle() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let failing = try client.open("/a", .write)
        let healthy = try client.open("/b", .write)
        try test.fail(FaultPlan([.status(5, at: .exactly("/a"), operation: "FILE_WRITE")]))
        #expect(try client.write(failing, "payload") == .writeError)
        #expect(try client.write(healthy, "payload") == .success)
        #expect(test.content("/a") == "")
    }

    @Test("A fault can skip requests, and stop after some")
    func counting() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.fail(FaultPlan([Fault(.status(17), operation: "READ_DIR", skipping: 2, times: 2)]))
        let answers = try (1...6).map { _ in
            _ = try client.freeBytes()
            return try client.ask(.readDirectory(path: "/")) == .status(.objectBusy)
        }
        #expect(answers == [false, false, true, true, false, false])
        try test.fail(FaultPlan())
        try test.fail(FaultPlan([Fault(.status(17), operation: "READ_DIR", times: 1)]))
        #expect(try client.status(.readDirectory(path: "/")) == .objectBusy)
    }

    @Test("The connection ends after so many requests, once, without carrying out the next")
    func disconnectAfterRequests() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.fail(FaultPlan([.disconnect(afterRequests: 3)]))
        for _ in 1...3 { _ = try client.names("/") }
        try client.send(.makeDirectory(path: "/never"))
        #expect(try client.endsHere())
        let again = try test.connect()
        for _ in 1...5 { #expect(try again.names("/").isEmpty) }
    }

    @Test("The connection can end after the request was carried out, without an answer")
    func disconnectUnanswered() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.fail(FaultPlan([Fault(.disconnectUnanswered, operation: "MAKE_DIR", times: 1)]))
        try client.send(.makeDirectory(path: "/made"))
        #expect(try client.endsHere())
        #expect(try test.connect().names("/") == ["made"])
    }

    @Test(
        "The connection ends at a byte of a header, of a payload whose beginning is stored, or of an answer")
    func disconnectAfterBytes() throws {
        let test = try AFCTestDevice()
        let setup = try test.connect()
        let handle = try setup.open("/a", .write)

        try test.fail(FaultPlan(disconnectAfterBytes: 48 + 3))
        try setup.send(.fileWrite(handle: handle, payloadLength: 5), payload: Array("hello".utf8))
        #expect(try setup.endsHere())

        try test.fail(FaultPlan(disconnectAfterBytes: 42 + 20))
        let answered = try test.connect()
        try answered.send(.readDirectory(path: "/"))
        let bytes = try receive(1000, from: answered.socket)
        #expect(bytes.count == 20)

        try test.fail(FaultPlan(disconnectAfterBytes: 39))
        let header = try test.connect()
        try header.send(.readDirectory(path: "/"))
        #expect(try header.endsHere())
        #expect(try test.connect().names("/") == ["a"])
    }

    @Test("A stalled connection answers when another plan is in place, and no other connection waits")
    func stall() throws {
        let test = try AFCTestDevice()
        let stalled = try test.connect()
        let other = try test.connect()
        try test.fail(FaultPlan([.stall(at: .exactly("/made"))]))
        let number = try stalled.send(.makeDirectory(path: "/made"))
        while try !other.names("/").contains("made") {}
        #expect(!stalled.hasBytes)
        #expect(!test.device.fileRequests.contains { $0.path == "/made" })
        try test.fail(FaultPlan())
        let answer = try stalled.receiveReply()
        #expect(answer.number == number)
        #expect(answer.reply == .status(.success))
    }

    @Test("A stall at a request counts all requests of the device")
    func stallAtRequest() throws {
        let test = try AFCTestDevice()
        let stalled = try test.connect()
        let other = try test.connect()
        try test.fail(FaultPlan([.stall(atRequest: 3)]))
        _ = try stalled.names("/")
        _ = try other.names("/")
        try stalled.send(.makeDirectory(path: "/made"))
        // Checked on the host, because any further request would wait as well.
        while !FileManager.default.fileExists(atPath: test.host("/made")) { sched_yield() }
        #expect(!stalled.hasBytes)
        try test.fail(FaultPlan())
        #expect(try stalled.receiveReply().reply == .status(.success))
    }

    @Test("A stalled connection ends when its client leaves")
    func stallAndLeave() throws {
        let test = try AFCTestDevice()
        var stalled: AFCTestClient? = try test.connect()
        try test.fail(FaultPlan([Fault(.stall)]))
        try stalled?.send(.makeDirectory(path: "/made"))
        // Leaving waits for the session's end. A session that never noticed would use up the wait.
        stalled = nil
        try test.fail(FaultPlan())
        #expect(try test.connect().freeBytes() > 0)
    }

    @Test("A device that stops reading leaves the sender's buffer full until another plan is in place")
    func stopReading() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let handle = try client.open("/a", .write)
        let payload = [UInt8](repeating: 0x78, count: 8 << 20)
        try test.fail(FaultPlan([Fault(.stopReading, operation: "FILE_WRITE")]))
        let packet =
            try AFCRequest.fileWrite(handle: handle, payloadLength: payload.count).encode(packetNumber: 7)
            + payload
        var sent = 0
        while sent < packet.count {
            let count = packet[sent...].withUnsafeBytes {
                Foundation.send(
                    client.socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count < 0 { break }
            sent += count
        }
        #expect(errno == EAGAIN)
        #expect(sent < packet.count)
        try test.fail(FaultPlan())
        try transmit(Array(packet[sent...]), to: client.socket)
        #expect(try client.receiveReply().reply == .status(.success))
        #expect(try client.information("/a").size == UInt64(payload.count))
    }

    @Test("An answer can carry a wrong packet number")
    func wrongPacketNumber() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "x")
        let handle = try client.open("/a", .read)
        try test.fail(FaultPlan([Fault(.wrongPacketNumber(1000), times: 3)]))
        let requests: [AFCRequest] = [
            .fileRead(handle: handle, length: 1), .getDeviceInfo, .removePath(path: "/none"),
        ]
        for request in requests {
            let number = try client.send(request)
            #expect(try client.receiveReply().number == number + 1000)
        }
        #expect(throws: Never.self) { try client.names("/") }
    }

    @Test("A read can be answered in part, and the next goes on from there")
    func shortRead() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.put("/a", "0123456789")
        let handle = try client.open("/a", .read)
        try test.fail(FaultPlan([Fault(.shortRead(4))]))
        #expect(try (1...4).map { _ in try client.read(handle, 100) } == ["0123", "4567", "89", ""])
    }

    @Test("A late answer comes, and in order")
    func lateReply() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.fail(FaultPlan([Fault(.lateReply(.milliseconds(20)), operation: "MAKE_DIR")]))
        let first = try client.send(.makeDirectory(path: "/made"))
        let second = try client.send(.readDirectory(path: "/"))
        #expect(try client.receiveReply().number == first)
        #expect(try client.receiveReply().number == second)
        let delayed = try #require(test.device.fileRequests.first { $0.operation == "MAKE_DIR" })
        #expect(delayed.duration >= .milliseconds(20))
    }

    @Test("A disk can be full in the middle of a write, regardless of its space")
    func diskFull() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let handle = try client.open("/a", .write)
        try test.fail(
            FaultPlan([Fault(.diskFull(keeping: 3), operation: "FILE_WRITE", skipping: 1, times: 1)]))
        #expect(try client.write(handle, "01234") == .success)
        #expect(try client.write(handle, "56789") == .noSpaceLeft)
        #expect(test.content("/a") == "01234567")
        #expect(try client.write(handle, "x") == .success)
        try test.fail(FaultPlan([Fault(.diskFull(keeping: 3))]))
        #expect(try client.status(.makeDirectory(path: "/made")) == .noSpaceLeft)
        #expect(try client.write(handle, "y") == .noSpaceLeft)
        #expect(test.content("/a") == "01234567xy")
    }

    @Test("A full disk can be read, listed and tidied up, and only what it refuses is counted")
    func diskFullElsewhere() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let handle = try client.open("/a", .readWrite)
        #expect(try client.write(handle, "0123") == .success)
        try test.fail(FaultPlan([Fault(.diskFull(keeping: 0), skipping: 1)]))
        #expect(try client.names("/") == ["a"])
        let other = try client.open("/b", .write)
        #expect(try client.status(.renamePath(from: "/a", to: "/c")) == .success)
        #expect(try client.status(.fileSeek(handle: handle, origin: 0, offset: 0)) == .success)
        #expect(try client.read(handle, 10) == "0123")
        #expect(try client.write(other, "passes") == .success)
        #expect(try client.write(other, "x") == .noSpaceLeft)
        #expect(try client.status(.makeDirectory(path: "/made")) == .noSpaceLeft)
        #expect(try client.status(.makeLink(kind: 2, target: "c", link: "/l")) == .noSpaceLeft)
        #expect(try client.status(.removePath(path: "/b")) == .success)
        #expect(try client.names("/") == ["c"])
    }

    @Test("An answer can break off")
    func partialReply() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        try test.fail(FaultPlan([Fault(.partialReply(41), times: 1)]))
        let number = try client.send(.makeDirectory(path: "/made"))
        let whole = AFCReply.status(.success).encode(packetNumber: number)
        #expect(try receive(1000, from: client.socket) == Array(whole.prefix(41)))
        #expect(try test.connect().names("/") == ["made"])
    }

    @Test("An answer can be garbage on a connection that goes on")
    func garbageReply() throws {
        let test = try AFCTestDevice()
        let client = try test.connect()
        let garbage: [UInt8] = Array("no AFC at all".utf8)
        try test.fail(FaultPlan([Fault(.garbageReply(garbage), times: 1)]))
        try client.send(.readDirectory(path: "/"))
        #expect(try receive(garbage.count, from: client.socket) == garbage)
        #expect(try client.names("/").isEmpty)
    }

    @Test("The device spends its latency on each request")
    func latency() throws {
        let test = try AFCTestDevice { $0.requestLatency = .milliseconds(5) }
        let client = try test.connect()
        for _ in 1...3 { _ = try client.names("/") }
        let durations = test.device.fileRequests.map(\.duration)
        #expect(durations.count == 3)
        #expect(durations.allSatisfy { $0 >= .milliseconds(5) })
    }
}
