import CFuzzerDriver
import FoundationEssentials
import Glibc

// `Fuzzer TARGET [libFuzzer's arguments]` fuzzes; `Fuzzer --seeds TARGET FOLDER` writes the seed documents, and
// `Fuzzer --list` prints the names of the targets.

/// The current target; set once before the fuzzer starts, and read by its one thread.
nonisolated(unsafe) var chosen: FuzzTarget?

func fail(_ message: String) -> Never {
    complain(message)
    exit(64)
}

func target(_ name: String) -> FuzzTarget {
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fail("There is no target '\(name)'. Targets: \(FuzzTarget.all.map(\.name).joined(separator: " ")).")
    }
    return target
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "--list":
    print(FuzzTarget.all.map(\.name).joined(separator: " "))
case "--seeds":
    guard arguments.count == 4 else { fail("Usage: Fuzzer --seeds TARGET FOLDER") }
    let target = target(arguments[2])
    for (place, seed) in try target.seeds().enumerated() {
        try seed.prefix(target.longest).write(to: URL(filePath: "\(arguments[3])/seed-\(place)"))
    }
case let name?:
    let target = target(name)
    chosen = target
    let own = [arguments[0], "-max_len=\(target.longest)"] + arguments.dropFirst(2)
    var words: [UnsafeMutablePointer<CChar>?] = own.map { strdup($0) } + [nil]
    exit(
        words.withUnsafeMutableBufferPointer { buffer in
            var count = CInt(own.count)
            var start = buffer.baseAddress
            return LLVMFuzzerRunDriver(&count, &start) { bytes, count in
                let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
                chosen?.run(data)
                return 0
            }
        })
case nil: fail("Usage: Fuzzer TARGET [-max_total_time=60] [CORPUS]")
}
