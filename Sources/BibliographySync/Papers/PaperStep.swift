/// What a run does with one paper.
struct PaperStep {
    /// What is done.
    enum Work: Equatable {
        /// The host's file goes to the device.
        case send
        /// The device's file comes to the host.
        case fetch
        /// The device's version comes to the host under another name, and the host's goes to the device.
        case keepBoth(name: String)
        /// Both have the same bytes, and that is noted.
        case agree
        /// The device's file goes.
        case removeFromDevice
        /// The host's file goes to the trash.
        case removeFromHost
        /// What is noted of it is forgotten.
        case forget
        /// Nothing is done; the row says why.
        case tell
        /// It is not sent, because the device has no room for it.
        case noRoom
        /// It is not sent, because the options say so.
        case stay
    }

    /// Its path in the host's folder.
    let path: String
    /// Where it is on the device.
    var place: PaperPlace
    /// What is done.
    var work: Work
    /// How much it is wanted.
    var priority: PaperPriority?
    /// Its path in the host's folder as it is written there, which may be in decomposed letters.
    var hostPath: String
    /// The host's file; nil: there is none.
    var host: BibliographyFile?
    /// The device's file; nil: there is none.
    var device: BibliographyFile?
    /// The digest of both files, if they have the same bytes; that of the device's file, if both versions stay.
    var digest: String?
    /// The place of its row; nil: it has none.
    var row: Int?

    /// The bytes that are copied.
    var bytes: UInt64 {
        switch work {
        case .send: host?.size ?? 0
        case .fetch: device?.size ?? 0
        case .keepBoth: (host?.size ?? 0) + 2 * (device?.size ?? 0)
        default: 0
        }
    }

    /// The bytes by which the device has less room.
    var growth: UInt64 {
        switch work {
        case .send, .keepBoth: bytes
        default: 0
        }
    }

    /// Whether it takes something away.
    var isRemoval: Bool { work == .removeFromDevice || work == .removeFromHost }
}
