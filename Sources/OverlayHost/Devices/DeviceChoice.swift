import DeviceTransport

/// The devices that a command line selects: one, a list, or all.
///
/// ```swift
/// for device in try DeviceChoice("all").resolve() {
///     print(device.name ?? device.udid ?? "", device.problem?.message ?? "chosen")
/// }
/// ```
public enum DeviceChoice: Sendable, Equatable {
    /// The only device, or the one selected by the beginning of its UDID or name.
    case one(String?)
    /// Every device that one of the texts selects.
    case some([String])
    /// Every attached device.
    case all

    /// Parses the value of `--device`: `all`, several texts separated by commas, or one text.
    public init(_ text: String?) {
        guard let text else {
            self = .one(nil)
            return
        }
        let parts = text.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
        if text.lowercased() == "all" || parts.contains(where: { $0.lowercased() == "all" }) {
            self = .all
        } else {
            // Commas alone do not name a device, and must not count as an empty list.
            self = text.contains(",") && !parts.isEmpty ? .some(parts) : .one(text)
        }
    }

    /// Whether the result is a list of devices, even if only one is attached.
    public var isMany: Bool {
        if case .one = self { false } else { true }
    }

    /// A selected device, or a word that does not select one.
    public struct Chosen: Sendable {
        /// The UDID of the device; nil if the word does not select a device.
        public var udid: String?
        /// The name of the device, or the word that should select one; nil if the device does not report its name.
        public var name: String?
        /// The reason why the word does not select a device.
        public var problem: HostError?

        /// Creates a device, or the problem of finding it.
        public init(udid: String?, name: String?, problem: HostError? = nil) {
            self.udid = udid
            self.name = name
            self.problem = problem
        }
    }

    /// Returns the selected devices, each once, in the order of the words or of usbmuxd. Asks usbmuxd and, for their
    /// names, all devices at the same time. Blocks.
    ///
    /// Throws only if devices cannot be listed, or if none is attached.
    public func resolve(
        loggers: SessionLoggers? = nil, cancellation: Cancellation = Cancellation()
    ) throws(HostError) -> [Chosen] {
        let attached = try DeviceSurvey.names(loggers: loggers, cancellation: cancellation)
        guard !attached.isEmpty else {
            throw HostError(
                .noDevice, "No device is attached.",
                hint: "Connect the device with its cable, unlock it, and tap Trust when it asks.")
        }
        switch self {
        case .all: return attached
        case .one(nil): return attached
        case .one(let word?): return Self.pick([word], attached)
        case .some(let words): return Self.pick(words, attached)
        }
    }

    /// The devices in `attached` that words select.
    static func pick(_ words: [String], _ attached: [Chosen]) -> [Chosen] {
        var chosen: [Chosen] = []
        for word in words {
            let selector = DeviceSelector(word)
            let whole = attached.filter {
                $0.udid.map(selector.isWhole(udid:)) == true || $0.name.map(selector.isWhole(name:)) == true
            }
            let found =
                whole.isEmpty
                ? attached.filter {
                    $0.udid.map(selector.begins(udid:)) == true || $0.name.map(selector.begins(name:)) == true
                } : whole
            guard found.count == 1 else {
                let names = (found.isEmpty ? attached : found).map(\.words).joined(separator: ", ")
                let problem =
                    found.isEmpty
                    ? HostError(
                        .noDevice, "No attached device has this name or UDID.", subject: word,
                        hint: names.isEmpty ? "No device is attached." : "Attached: \(names).")
                    : HostError(
                        .deviceNotChosen, "\(found.count) attached devices match.", subject: word,
                        hint: "Name one of them: \(names).")
                chosen.append(Chosen(udid: nil, name: word, problem: problem))
                continue
            }
            if !chosen.contains(where: { $0.udid == found[0].udid }) { chosen.append(found[0]) }
        }
        return chosen
    }

    /// The selected devices, and the problems of words that do not select any of them.
    public func select(_ devices: [DeviceSummary]) -> (devices: [DeviceSummary], problems: [HostError]) {
        let words: [String] =
            switch self {
            case .all, .one(nil): []
            case .one(let word?): [word]
            case .some(let words): words
            }
        guard !words.isEmpty else { return (devices, []) }
        let chosen = Self.pick(words, devices.map { Chosen(udid: $0.udid, name: $0.name) })
        return (
            devices.filter { device in chosen.contains { $0.udid == device.udid } },
            chosen.compactMap(\.problem)
        )
    }

    /// Throws `noDevice` for the first word that does not select this device.
    package func checkMeansOnly(_ device: Chosen) throws(HostError) {
        let words: [String] =
            switch self {
            case .all, .one(nil): []
            case .one(let word?): [word]
            case .some(let words): words
            }
        for chosen in Self.pick(words, [device]) { if let problem = chosen.problem { throw problem } }
    }

    /// Whether the choice includes this device.
    func means(udid: String, name: String?) -> Bool {
        func isMeant(_ word: String) -> Bool {
            let selector = DeviceSelector(word)
            return selector.begins(udid: udid) || name.map(selector.begins(name:)) == true
        }
        return switch self {
        case .all, .one(nil): true
        case .one(let word?): word.isEmpty || isMeant(word)
        case .some(let words): words.contains(where: isMeant)
        }
    }
}

extension DeviceChoice.Chosen {
    /// Name and UDID, as far as known.
    fileprivate var words: String {
        guard let udid else { return name ?? "" }
        return name.map { "\($0) (\(udid))" } ?? udid
    }
}
