/// What a command line will probably need, known before it is parsed: parsing takes as long as connecting to a device.
///
/// A wrong guess costs less than a millisecond, and nothing else depends on it.
struct ExpectedWork: Equatable {
    /// The number of workers.
    var workers = 0
    /// Whether it will open the only attached device.
    var opensDevice = false

    /// The verbs that use an app, and those that ask several overlays.
    static let verbs: [String: ExpectedWork] = {
        let session = ExpectedWork(workers: 1, opensDevice: true)
        var verbs: [String: ExpectedWork] = [
            "apps": ExpectedWork(workers: 3, opensDevice: true), "serve": ExpectedWork(workers: 1),
            "watch": ExpectedWork(workers: 1),
        ]
        for verb in [
            "backup", "books", "collections", "delete", "diff", "eject", "get", "info", "perform", "sync",
            "update", "upload",
        ] { verbs[verb] = session }
        return verbs
    }()

    /// Words that mean a device of this process, another place of overlays, or only a text.
    private static let exceptions = ["--simulated", "--watch", "--in-process", "--help", "-h"]
    /// The number of workers for all attached devices, whose number is not known, and the largest number for named ones.
    private static let (workersForAll, mostWorkers) = (4, 32)

    init(workers: Int, opensDevice: Bool = false) {
        (self.workers, self.opensDevice) = (workers, opensDevice)
    }

    /// Looks at the program's arguments without parsing them.
    init(_ arguments: some Collection<String>) {
        guard let verb = arguments.first, let work = Self.verbs[verb],
            !arguments.contains(where: { word in Self.exceptions.contains { word.hasPrefix($0) } })
        else { return }
        self = work
        guard let devices = Self.devices(Array(arguments)) else { return }
        opensDevice = false
        let count = devices == "all" ? Self.workersForAll : devices.split(separator: ",").count
        workers = min(workers * count, Self.mostWorkers)
    }

    /// The value of `--device`; nil if it is not given.
    private static func devices(_ words: [String]) -> String? {
        let option = "--device"
        for (index, word) in words.enumerated() where word.hasPrefix(option) {
            if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
            if word == option { return index + 1 < words.count ? words[index + 1] : "" }
        }
        return nil
    }
}
