import TestSupport
import Diagnostics
import OverlayCalls
import OverlayABI
import Testing

@testable import Tracing

@Suite("Values in a recording keep their meaning")
struct ValueTests {
    private static let sizes = ContractPlans.shared.records.map(\.size)

    private func encoded(_ function: FunctionPlan, _ values: [TraceValue?], _ limits: TraceLimits) throws
        -> [UInt8]
    {
        let memory = ReplayMemory()
        let pointers = try memory.arguments(function, values, first: 0) { (_, _) throws(TraceError) in
            UnsafeRawPointer(try memory.allocate(64))
        }
        let space = MemorySpace()
        let sinks = try memory.allocate(64).bindMemory(to: UInt32.self, capacity: 16)
        for index in 0..<16 { sinks[index] = 7 }
        TraceEncoder(space: space, limits: limits).arguments(function, pointers, sinks: sinks, instance: 3)
        return withExtendedLifetime(memory) { space.bytes() }
    }

    @Test("The arguments of every function of the contract are read back as they were", arguments: 0..<40)
    func everyFunction(seed: Int) throws {
        var sample = Sample(seed: UInt64(seed))
        for function in ContractPlans.shared.allFunctions {
            let values = sample.arguments(function)
            var decoder = TraceDecoder(try encoded(function, values, .whole), sizes: Self.sizes)
            let seen = try decoder.arguments(function)
            #expect(
                TraceDifference.first(function, expected: values, seen: seen) == nil, "\(function.fullName)")
            #expect(seen == values, "\(function.fullName)")
        }
    }

    @Test("Reading any body ends with values or an error", arguments: 0..<40)
    func hostileBodies(seed: Int) throws {
        var sample = Sample(seed: UInt64(seed) &+ 1000)
        for function in ContractPlans.shared.allFunctions {
            var bytes = try encoded(function, sample.arguments(function), .usual)
            guard !bytes.isEmpty else { continue }
            for _ in 0..<3 {
                bytes[Int(sample.random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: sample.random.next())
            }
            bytes.removeLast(Int(sample.random.next() % UInt64(bytes.count)))
            var decoder = TraceDecoder(bytes, sizes: Self.sizes)
            do {
                let values = try decoder.arguments(function)
                // Values that were read can be shown.
                #expect(!TraceText().call(function, values).isEmpty)
            } catch {
                #expect(error.code == .damaged)
            }
        }
    }

    @Test("Only the beginning, the length and a digest of contents beyond the limit are kept")
    func contentsAreCut() throws {
        let put = try function("ovl_bytes_sink", "put")
        let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 4096 + 65) }
        let value = TraceValue.bytes(TraceBytes(kept: content, size: 10_000))
        let bytes = try encoded(put, [.context, value, .unsigned(0), .unsigned(10_000)], .usual)
        #expect(!bytes.contains(66), "nothing behind the limit is in the recording")
        var decoder = TraceDecoder(bytes, sizes: Self.sizes)
        guard case .bytes(let seen)?? = try decoder.arguments(put).dropFirst().first else {
            Issue.record("the chunk is missing")
            return
        }
        #expect(seen.kept == Array(content.prefix(4096)))
        #expect(seen.size == 10_000)
        #expect(seen.digest?.count == 32)
        var other = content
        other[9_999] = 0
        let changed = try encoded(
            put,
            [
                .context, .bytes(TraceBytes(kept: other, size: 10_000)), .unsigned(0), .unsigned(10_000),
            ], .usual)
        var second = TraceDecoder(changed, sizes: Self.sizes)
        let difference = TraceDifference.first(
            put, expected: [.context, .bytes(seen), .unsigned(0), .unsigned(10_000)],
            seen: try second.arguments(put))
        #expect(difference?.path == "chunk")
    }

    @Test("Impossible sizes are recorded and not followed")
    func impossibleSizes() throws {
        let write = try function("ovl_transport_service", "write")
        var bytes = ovl_bytes(data: UnsafePointer(bitPattern: 8), size: 1 << 60)
        let memory = ReplayMemory()
        let values = try memory.arguments(
            write, [.context, .unsigned(1), .null, .null, .unsigned(0), .sink(0)], first: 0
        ) { (_, _) throws(TraceError) in nil }
        let space = MemorySpace()
        try withUnsafeMutablePointer(to: &bytes) { pointer in
            try #require(values[3]).storeBytes(
                of: UnsafeMutableRawPointer(pointer), as: UnsafeMutableRawPointer.self)
            let sinks = try memory.allocate(64).bindMemory(to: UInt32.self, capacity: 16)
            TraceEncoder(space: space, limits: .usual).arguments(write, values, sinks: sinks, instance: 0)
        }
        var decoder = TraceDecoder(space.bytes(), sizes: Self.sizes)
        #expect(try decoder.arguments(write)[3] == .impossible(1 << 60))
    }

    @Test("Statuses have the names that the header gives them")
    func statusNames() {
        #expect(StatusName.of(Int64(OVL_OK)) == "OVL_OK")
        #expect(StatusName.of(Int64(OVL_NOT_FOUND)) == "OVL_NOT_FOUND")
        #expect(StatusName.of(Int64(OVL_APP_UNAVAILABLE)) == "OVL_APP_UNAVAILABLE")
        #expect(StatusName.of(Int64(OVL_STOPPED)) == "OVL_STOPPED")
        #expect(StatusName.of(99) == "status 99")
        #expect(StatusName.of(-1) == "status -1")
    }

    @Test("The bodies of descriptions and covers in a command are replaced by their lengths")
    func commands() {
        let command =
            "<upload_books><book title='A'><description><p>Long</p></description><cover hash='x'>AAAA</cover></book></upload_books>"
        #expect(
            CommandText.shortened(command)
                == "<upload_books><book title='A'><description>(11 bytes)</description><cover hash='x'>(4 bytes)</cover></book></upload_books>"
        )
        #expect(CommandText.shortened("<covers>5</covers><cover/>") == "<covers>5</covers><cover/>")
        #expect(CommandText.shortened("<cover>without an end") == "<cover>without an end")
        #expect(CommandText.shortened("1 < 2") == "1 < 2")
    }

    private func function(_ record: String, _ name: String) throws -> FunctionPlan {
        try #require(
            ContractPlans.shared.record(record)?.functions.compactMap { $0 }.first { $0.name == name })
    }
}
