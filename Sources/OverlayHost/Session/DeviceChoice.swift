import DeviceTransport

/// Which devices a command line means: one, a list of them, or all.
public enum DeviceChoice: Sendable, Equatable {
    /// The only device there is, or the one that the text means: the beginning of a UDID or of a name.
    case one(String?)
    /// Every device that one of the texts means.
    case some([String])
    /// Every attached device.
    case all

    /// What `--device` says: `all`, several texts with commas between them, or one text.
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
            // Commas alone name nothing, which must not pass for a list that was served.
            self = text.contains(",") && !parts.isEmpty ? .some(parts) : .one(text)
        }
    }

    /// Whether the answer is about a list of devices, even if only one is attached.
    public var isMany: Bool {
        if case .one = self { false } else { true }
    }

    /// A device that was chosen, or a word that means none.
    public struct Chosen: Sendable {
        /// The device's UDID; nil if the word means no device.
        public var udid: String?
        /// The device's name, or the word that was to mean one; nil if the device tells none.
        public var name: String?
        /// Why the word means no device.
        public var problem: HostError?

        /// A device, or the problem of finding it.
        public init(udid: String?, name: String?, problem: HostError? = nil) {
            self.udid = udid
            self.name = name
            self.problem = problem
        }
    }

    /// The devices that a choice of many means, in the order of the words, or of usbmuxd; each once. Asks usbmuxd and, for
    /// their names, all devices at once. Blocks.
    ///
    /// Throws only when nothing can be listed, or nothing is attached.
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

    /// The devices of `attached` that words mean.
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

    /// Those of the devices that the choice means, and what is wrong with the words that mean none of them.
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

    /// Throws `noDevice` for the first word that does not mean this device.
    package func checkMeansOnly(_ device: Chosen) throws(HostError) {
        let words: [String] =
            switch self {
            case .all, .one(nil): []
            case .one(let word?): [word]
            case .some(let words): words
            }
        for chosen in Self.pick(words, [device]) { if let problem = chosen.problem { throw problem } }
    }

    /// Whether the choice means this device.
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
    /// Name and UDID, as far as they are known.
    fileprivate var words: String {
        guard let udid else { return name ?? "" }
        return name.map { "\($0) (\(udid))" } ?? udid
    }
}
