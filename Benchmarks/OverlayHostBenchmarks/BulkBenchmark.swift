import CSystemShims
import OverlayCalls
import WorkerRPC
import Foundation
import OverlayABI

/// Two ways to send bytes between processes: with the message through the socket, and in shared memory.
struct BulkBenchmark {
    let runs: Int
    /// The first argument of the second process.
    private static let mark = "--bulk-far-side"
    /// The number of the first table of each side.
    private static let table: UInt64 = 16
    private static let bytes = 64 << 20
    private static let sizes = [16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536]

    private static let getFile = ContractPlans.shared.record("ovl_methods")?.functions.compactMap { $0 }
        .first { $0.name == "get_file" }

    func run() throws {
        var table = BenchmarkTable(
            "Bytes from one process to another, in chunks (median of \(runs))",
            ["chunk kB", "with the message MB/s", "as shared memory MB/s"])
        for size in Self.sizes {
            let rates = try [Int.max, 0].map { threshold in
                BenchmarkTable.number(try rate(chunk: size << 10, threshold: threshold), 0)
            }
            table.add(["\(size)"] + rates)
        }
        table.print()
    }

    /// MB/s.
    private func rate(chunk: Int, threshold: Int) throws -> Double {
        let (rpc, process) = try start(chunk, threshold)
        defer {
            rpc.shutDown()
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
        let target = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 4096)
        defer { target.deallocate() }
        var sink = ovl_bytes_sink()
        sink.struct_size = UInt32(MemoryLayout<ovl_bytes_sink>.size)
        sink.ctx = target
        // The receiver reads all bytes.
        sink.put = { context, bytes, _, _ in
            if let context, let data = bytes.pointee.data { memcpy(context, data, Int(bytes.pointee.size)) }
            return OVL_OK
        }
        let times = try (0..<runs).map { _ in
            try Stopwatch.seconds {
                for _ in 0..<(Self.bytes / chunk) { try fetch(rpc, &sink) }
            }
        }
        return Double(Self.bytes) / 1e6 / times.sorted()[times.count / 2]
    }

    private func fetch(_ rpc: RPCConnection, _ sink: inout ovl_bytes_sink) throws {
        guard let function = Self.getFile else { throw BenchmarkFailure("no get_file") }
        var path = ovl_text()
        var error = ovl_error_sink()
        error.struct_size = UInt32(MemoryLayout<ovl_error_sink>.size)
        error.put = { _, _ in }
        var result: UInt64 = 0
        try withUnsafeMutablePointer(to: &sink) { sink in
            try withUnsafeMutablePointer(to: &path) { path in
                try withUnsafeMutablePointer(to: &error) { error in
                    var words = [0, UInt(bitPattern: path), UInt(bitPattern: sink), UInt(bitPattern: error)]
                    try words.withUnsafeMutableBytes { words in
                        let values = (0..<4).map { index in words.baseAddress.map { $0 + 8 * index } }
                        try rpc.main.call(function, of: Self.table, values, &result)
                    }
                }
            }
        }
        guard ovl_status(truncatingIfNeeded: result) == OVL_OK else { throw BenchmarkFailure("no bytes") }
    }

    private func start(_ chunk: Int, _ threshold: Int) throws -> (RPCConnection, Int32) {
        var sockets: [Int32] = [-1, -1]
        guard shim_socketpair(&sockets) == 0 else { throw BenchmarkFailure("no sockets") }
        let arguments = ["/proc/self/exe", Self.mark, "\(chunk)", "\(threshold)"]
        let words = arguments.map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for word in words { free(word) } }
        let process = shim_spawn("/proc/self/exe", words, variables, [0, 1, 2, sockets[1]], 4)
        close(sockets[1])
        guard process > 0 else { throw BenchmarkFailure("no process") }
        return (RPCConnection(main: sockets[0]), process)
    }

    /// If this process was started as the other side, runs that side and exits.
    static func runIfAsked() {
        let words = CommandLine.arguments
        guard words.count == 4, words[1] == mark, let chunk = Int(words[2]), let threshold = Int(words[3]),
            let plan = ContractPlans.shared.record("ovl_methods")
        else { return }
        FarSide.content = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 4096)
        FarSide.content.initializeMemory(as: UInt8.self, repeating: 7)
        let methods = UnsafeMutablePointer<ovl_methods>.allocate(capacity: 1)
        methods.initialize(to: ovl_methods())
        methods.pointee.struct_size = UInt32(MemoryLayout<ovl_methods>.size)
        methods.pointee.get_file = { _, _, sink, _ in
            var bytes = ovl_bytes()
            bytes.data = UnsafePointer(FarSide.content.bindMemory(to: UInt8.self).baseAddress)
            bytes.size = UInt64(FarSide.content.count)
            return sink.pointee.put?(sink.pointee.ctx, &bytes, 0, bytes.size) ?? OVL_FAILED
        }
        let rpc = RPCConnection(main: 3, limits: WorkerRPCLimits(sharedThreshold: threshold))
        _ = rpc.number(ofTable: methods, plan)
        rpc.main.claim()
        do { try rpc.main.serve() } catch { _exit(0) }
    }

    private enum FarSide {
        // Unsafe: written before the only thread starts serving.
        nonisolated(unsafe) static var content = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
}
