import Foundation
import SimulatedDevice

/// Whole commands on a device in a separate process, compared with bare connections and other programs.
///
/// Every time is from start to end, including all handshakes. "Cold" is the first run with a device, "warm" the next
/// one.
struct WireBenchmark {
    let rounds: Int
    let quick: Bool
    let delays: [Delay]

    func run() throws {
        let rows = try WireRows(quick: quick)
        defer { BenchmarkDevice.remove(rows.home) }
        var table = BenchmarkTable(
            "Commands beside the wire, TLS, seconds (medians of \(rounds))",
            [
                "work", "delay", "bound", "cold", "× bound", "bound, warm", "warm", "× bound",
                "libimobiledevice", "pymobiledevice3", "ifuse", "MB",
            ])
        // Longer delays show nothing more.
        let short = delays.filter { !$0.word.hasSuffix("5") }
        let host = try HostFolder(rows.home.appendingPathComponent("host"))
        for row in try rows.make() {
            for delay in short where row.only ?? delay.word == delay.word {
                table.add(try measure(row, delay, host, rows.home.path))
            }
        }
        table.print()
    }

    private func measure(_ row: WireRow, _ delay: Delay, _ host: HostFolder, _ place: String) throws
        -> [String]
    {
        let device = try DeviceProcess([row.folder], delay, bandwidth: row.bandwidth)
        defer { withExtendedLifetime(device) {} }
        let peers = Peers(device: row.device, errand: row.errand, folder: place)
        // The seconds of each way, by column. All ways take turns, so that other load on the machine affects all of
        // them equally.
        var seconds: [String: Samples] = [:]
        var megabytes = 0.0
        func take(_ column: String, _ way: () throws -> Double?) throws {
            if let target = row.target { try BenchmarkDevice.empty(target) }
            if let value = try way() { seconds[column, default: Samples()].values.append(value) }
        }
        for _ in 0..<rounds {
            for (name, work) in [("bound", row.cold), ("bound, warm", row.warm)] {
                // It depends on the delay whether few deep connections or many flat ones are faster.
                try take(name + "4") { try bare(row, work, connections: 4, depth: 8) }
                try take(name + "1") { try bare(row, work, connections: 1, depth: 32) }
            }
            try host.forget(overlays: true)
            for name in ["cold", "warm"] {
                try take(name) {
                    let run = try host.run(row.command + ["--app", row.device.app, "--json"])
                    try check(host.output, row.sign)
                    megabytes = max(megabytes, run.megabytes)
                    return run.seconds
                }
            }
            try take("libimobiledevice") { try peers.libimobiledevice() }
            try take("pymobiledevice3") { try peers.pymobiledevice3() }
            try take("ifuse") { try peers.ifuse() }
        }
        func median(_ column: String) -> Double? { seconds[column].map(\.median) }
        func bound(_ name: String) -> Double { min(median(name + "4") ?? 0, median(name + "1") ?? 0) }
        func number(_ value: Double?) -> String {
            value.map { BenchmarkTable.number($0, 3) } ?? "not measured"
        }
        func times(_ name: String, _ bound: Double) -> String {
            BenchmarkTable.number((median(name) ?? 0) / bound, 1)
        }
        let (cold, warm) = (bound("bound"), bound("bound, warm"))
        return [
            row.name, delay.name, number(cold), number(median("cold")), times("cold", cold), number(warm),
            number(median("warm")), times("warm", warm), number(median("libimobiledevice")),
            number(median("pymobiledevice3")), number(median("ifuse")), BenchmarkTable.number(megabytes, 0),
        ]
    }

    private func bare(_ row: WireRow, _ work: [BareWork], connections: Int, depth: Int) throws -> Double {
        try Stopwatch.seconds { try row.device.run(work, connections: connections, depth: depth) }
    }

    /// Checks the program's output: the text must appear once for each book.
    private func check(_ output: String, _ sign: (text: String, count: Int)) throws {
        let text = try String(contentsOfFile: output, encoding: .utf8)
        let count = text.components(separatedBy: sign.text).count - 1
        guard count == sign.count else {
            throw BenchmarkFailure(
                "\(sign.text) is there \(count) times, not \(sign.count), in: \(text.prefix(1000))")
        }
    }
}
