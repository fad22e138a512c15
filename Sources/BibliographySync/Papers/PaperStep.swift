/// What a run does with one paper.
struct PaperStep {
    /// The kinds of steps.
    enum Work: Equatable {
        /// Copies the host's file to the device.
        case send
        /// Copies the device's file to the host.
        case fetch
        /// Copies the device's version to the host under another name, and the host's version to the device.
        case keepBoth(name: String)
        /// Records that both sides have the same bytes.
        case agree
        /// Removes the device's file.
        case removeFromDevice
        /// Moves the host's file to the trash.
        case removeFromHost
        /// Removes the record of the paper.
        case forget
        /// Does nothing; the row gives the reason.
        case reportOnly
        /// Does not send the paper, because the device does not have room for it.
        case noRoom
        /// Does not send the paper, because the options forbid it.
        case notAllowed
    }

    /// Its path in the host's folder.
    let path: String
    /// Its place on the device.
    var place: PaperPlace
    /// The kind of step.
    var work: Work
    /// Why it is wanted on the device.
    var priority: PaperPriority?
    /// Whether an entry links to it.
    var isLinked = false
    /// Its path in the host's folder as it is spelled there, possibly in decomposed letters.
    var hostPath: String
    /// The host's file, if it exists.
    var host: BibliographyFile?
    /// The device's file, if it exists.
    var device: BibliographyFile?
    /// The digest of both files if they have the same bytes; the digest of the device's file if both versions are
    /// kept.
    var digest: String?
    /// The path of another paper that it replaces on the device, whose record then ends.
    var replaced: String?
    /// The links that one side moved away from it while the other side changed it. It is linked beside them.
    var moves: [MovedLinks.Move] = []
    /// The index of its row; nil if it has none.
    var row: Int?

    /// The number of bytes to copy.
    var bytes: UInt64 {
        switch work {
        case .send: host?.size ?? 0
        case .fetch: device?.size ?? 0
        case .keepBoth: (host?.size ?? 0) + 2 * (device?.size ?? 0)
        default: 0
        }
    }

    /// The number of bytes of free space that the device loses.
    var growth: UInt64 {
        switch work {
        case .send, .keepBoth: bytes
        default: 0
        }
    }

    /// Whether it removes a file.
    var isRemoval: Bool { work == .removeFromDevice || work == .removeFromHost }
}
