import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("Transfers keep few local files open, and do not fail for lack of descriptors")
struct LocalFileTests {
    private static let count = 48
    private static let size = 90_000

    /// Several pieces for each file.
    private func options(_ budget: LocalFileBudget) -> DeviceSessionOptions {
        var options = DeviceSessionOptions(chunkSize: 16 << 10)
        options.localFiles = budget
        return options
    }

    private func content(_ number: Int) -> [UInt8] { pattern(Self.size + number) }

    /// Sends many files, fetches them again, and compares them.
    private func exchange(_ device: SimulatedDevice, _ budget: LocalFileBudget) throws {
        let folder = try TemporaryFolder()
        for number in 0..<Self.count {
            try Data(content(number)).write(to: folder.url.appendingPathComponent("\(number)"))
        }
        let files = try openFiles(device, options(budget))
        let pushed = files.pushMany(
            (0..<Self.count).map { PushRequest(.file(folder.path("\($0)")), to: "/Documents/\($0)") })
        for result in pushed { _ = try result.get() }
        let pulled = files.pullMany(
            (0..<Self.count).map { PullRequest("/Documents/\($0)", to: folder.path("\($0) again")) })
        for (number, result) in pulled.enumerated() {
            _ = try result.get()
            let fetched = try Data(contentsOf: folder.url.appendingPathComponent("\(number) again"))
            guard fetched == Data(content(number)) else {
                throw TransportError(.verificationFailed, "file \(number) differs")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2 * Self.count)
    }

    @Test(
        "Files of several devices share what is kept open, and each device has one more", arguments: [0, 3])
    func shared(_ most: Int) throws {
        let budget = LocalFileBudget(most: most)
        try withSimulatedDevice(.reader) { first in
            try withSimulatedDevice(.encryptedReader) { second in
                let other = inBackground { Result { try exchange(second, budget) } }
                try exchange(first, budget)
                try other().get()
            }
        }
        #expect((1...most + 2).contains(budget.mostOpen))
        #expect(budget.open == 0)
    }

    @Test("Where descriptors run out, files that wait for their next pieces are closed")
    func closing() throws {
        let used = Mutex<LocalFileBudget?>(nil)
        let refusals = Mutex(0)
        let budget = LocalFileBudget(most: .max, patience: .zero) { path, flags in
            guard let open = used.withLock({ $0?.open }), open < 3 else {
                refusals.withLock { $0 += 1 }
                return -EMFILE
            }
            return LocalFileBudget.openFile(path, flags)
        }
        used.withLock { $0 = budget }
        defer { used.withLock { $0 = nil } }
        try withSimulatedDevice(.reader) { try exchange($0, budget) }
        #expect(refusals.withLock { $0 } > 0)
        #expect(budget.mostOpen == 3 && budget.open == 0)
    }

    @Test(
        "A transfer waits for a descriptor that another part of the program closes",
        arguments: [EMFILE, ENFILE])
    func waiting(_ number: Int32) throws {
        let refusals = Mutex(5)
        let budget = LocalFileBudget(most: 1, patience: .seconds(3600)) { path, flags in
            let isRefused = refusals.withLock { left in
                left -= 1
                return left >= 0
            }
            return isRefused ? -number : LocalFileBudget.openFile(path, flags)
        }
        try withSimulatedDevice(.reader) { try exchange($0, budget) }
        #expect(refusals.withLock { $0 } < 0)
    }

    @Test("Without any descriptor a transfer reports so, or ends when it is cancelled")
    func without() throws {
        let cancellation = Cancellation()
        let hopeless = LocalFileBudget(most: 1, patience: .zero) { _, _ in -EMFILE }
        let cancelled = LocalFileBudget(most: 1, patience: .seconds(3600)) { _, _ in
            cancellation.cancel()
            return -EMFILE
        }
        try withSimulatedDevice(.reader) { device in
            let folder = try TemporaryFolder()
            try Data([1]).write(to: device.documents.appendingPathComponent("a"))
            for (budget, expected) in [
                (hopeless, TransportError.Code.tooManyDescriptors), (cancelled, .cancelled),
            ] {
                let files = try openFiles(device, options(budget))
                let context = OperationContext(cancellation: budget == cancelled ? cancellation : nil)
                let error = failure {
                    try files.pull(PullRequest("/Documents/a", to: folder.path("a")), context)
                }
                #expect(error?.code == expected)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("A file that changes between two pieces is not sent, and nothing of it stays")
    func changed() throws {
        try withSimulatedDevice(.reader) { device in
            let folder = try TemporaryFolder()
            let source = folder.url.appendingPathComponent("a")
            try Data(pattern(5000)).write(to: source)
            let files = try openFiles(device, options(LocalFileBudget(most: 0)))
            device.onFileRequest { request in
                guard request.operation == "FILE_OPEN" else { return }
                #expect(throws: Never.self) { try Data(count: 5000).write(to: source, options: .atomic) }
            }
            let error = failure { try files.write(.file(source.path), to: "/Documents/a") }
            #expect(error?.code == .verificationFailed && error?.message.contains("changed") == true)
            #expect(try device.documentNames().isEmpty)
        }
    }

    @Test("A fetched file goes into the file that was made for it, or nowhere")
    func exchanged() throws {
        try withSimulatedDevice(.reader) { device in
            let folder = try TemporaryFolder()
            try Data(pattern(5000)).write(to: device.documents.appendingPathComponent("a"))
            let files = try openFiles(device, options(LocalFileBudget(most: 0)))
            device.onFileRequest { request in
                guard request.operation == "FILE_READ" else { return }
                #expect(throws: Never.self) {
                    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                        let url = folder.url.appendingPathComponent(name)
                        try Data([7]).write(to: url, options: .atomic)
                    }
                }
            }
            let target = folder.path("b")
            #expect(code { try files.pull(PullRequest("/Documents/a", to: target)) } == .verificationFailed)
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }
}
