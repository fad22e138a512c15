import Glibc

/// The work that a command line will probably need. It is determined before the command line is parsed, because
/// parsing takes as long as connecting to a device.
///
/// A wrong guess does not change the result of the command. It costs a millisecond for each worker.
struct ExpectedWork: Equatable {
    /// The number of workers.
    var workers = 0
    /// Whether the command begins by opening the only attached device.
    var opensDevice = false

    /// The commands that use apps. `apps` needs several overlays, and `df` needs none. The last commands do other work
    /// before they open a device.
    static let commands: [(name: String, work: ExpectedWork)] =
        [
            "books", "collections", "delete", "diff", "eject", "get", "info", "sync", "update", "upload",
        ].map { ($0, ExpectedWork(workers: 1, opensDevice: true)) }
        + [
            ("apps", ExpectedWork(workers: 3, opensDevice: true)),
            ("df", ExpectedWork(workers: 0, opensDevice: true)),
        ]
        + ["annotations", "backup", "perform", "serve", "watch"].map { ($0, ExpectedWork(workers: 1)) }

    /// Nothing is begun if a word has one of these prefixes: a simulated device has its own usbmuxd, `--watch` starts
    /// the command in another process, and help does not need a device.
    private static let exceptions = ["--simulated", "--watch", "--in-process", "--help", "-h"]
    /// The number of workers for `--device all`, because the number of devices is not known.
    private static let workersForAll = 4
    /// The largest number of workers.
    private static let mostWorkers = 32

    init(workers: Int, opensDevice: Bool = false) {
        (self.workers, self.opensDevice) = (workers, opensDevice)
    }

    /// Looks at the arguments after the program's name. Does not convert them to strings, because these would stay in
    /// the memory of workers.
    init(_ words: [UnsafeMutablePointer<CChar>]) {
        guard let command = words.first,
            let work = Self.commands.first(where: { strcmp(command, $0.name) == 0 })?.work,
            !words.contains(where: { word in Self.exceptions.contains { Self.begins(word, $0) } })
        else { return }
        self = work
        guard let count = Self.deviceCount(words) else { return }
        opensDevice = false
        workers = min(workers * count, Self.mostWorkers)
    }

    private static func begins(_ word: UnsafePointer<CChar>, _ start: String) -> Bool {
        strncmp(word, start, start.utf8.count) == 0
    }

    /// The number of devices in the value of `--device`; nil if the option is not given.
    private static func deviceCount(_ words: [UnsafeMutablePointer<CChar>]) -> Int? {
        let option = "--device"
        for (index, word) in words.enumerated() where begins(word, option) {
            let value: UnsafeMutablePointer<CChar>
            if begins(word, option + "=") {
                value = word + option.utf8.count + 1
            } else if strcmp(word, option) == 0 {
                guard index + 1 < words.count else { return 0 }
                value = words[index + 1]
            } else {
                continue
            }
            if strcmp(value, "all") == 0 { return workersForAll }
            let bytes = UnsafeBufferPointer(start: value, count: strlen(value))
            return bytes.isEmpty ? 0 : bytes.count { $0 == CChar(UInt8(ascii: ",")) } + 1
        }
        return nil
    }
}
