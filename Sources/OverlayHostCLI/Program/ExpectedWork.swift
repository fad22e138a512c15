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

    /// Words that mean another device, another place of overlays, or only a text.
    private static let exceptions = ["--device", "--simulated", "--watch", "--in-process", "--help", "-h"]

    init(workers: Int, opensDevice: Bool = false) {
        (self.workers, self.opensDevice) = (workers, opensDevice)
    }

    /// Looks at the program's arguments without parsing them.
    init(_ arguments: some Collection<String>) {
        guard let verb = arguments.first, let work = Self.verbs[verb],
            !arguments.contains(where: { word in Self.exceptions.contains { word.hasPrefix($0) } })
        else { return }
        self = work
    }
}
