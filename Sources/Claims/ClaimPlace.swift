import OverlayKit

/// What a claim is about, and where on the device it is.
public struct ClaimPlace {
    /// The services of the running method.
    public var host: HostServices
    /// The root that all paths are below.
    public var root: Root
    /// The folder that holds the claim; it must be there.
    public var folder: String
    /// What is claimed, such as `Marvin`, for sentences.
    public var name: String
    /// How long a claim of another program is waited for.
    public var patience: Duration
    /// A clock that does not go back.
    public var now: () -> Duration
    /// The paths of files that the holder of a claim changes while it is at work.
    public var activity: () throws(OverlayError) -> [String]

    /// A place.
    public init(
        host: HostServices, root: Root, folder: String, name: String, patience: Duration,
        now: @escaping () -> Duration, activity: @escaping () throws(OverlayError) -> [String]
    ) {
        (self.host, self.root, self.folder, self.name) = (host, root, folder, name)
        (self.patience, self.now, self.activity) = (patience, now, activity)
    }

    /// The claim itself.
    var claim: String { folder + "/" + FolderClaim.name }

    /// Another program has the claim.
    var busy: OverlayError {
        OverlayError(
            .busy, "Another program is using \(name).", subject: claim,
            hint: "Wait until it has finished, and run the same command again.", retryable: true)
    }

    /// A failure with the claim in a person's words: the person does not need to know which file it was.
    func plain(_ error: OverlayError) -> OverlayError {
        guard error.status == .noSpace else { return error }
        return OverlayError(
            .noSpace, "The device has no space left for a command to \(name).",
            hint: "Free some space on the device, and run the same command again.", domain: error.domain,
            nativeCode: error.nativeCode)
    }
}

/// The names under which the host writes files before they get their own: `.overlayhost-` and hexadecimal digits, with
/// `.part` at the end.
///
/// A command that was killed leaves such files behind. While a claim is held, no other program that takes claims writes any,
/// so the holder may remove those it finds.
public enum PartialFile {
    private static let (start, end) = (".overlayhost-", ".part")

    /// Whether a name is of this kind.
    public static func hasName(_ name: some StringProtocol) -> Bool {
        guard name.hasPrefix(start), name.hasSuffix(end) else { return false }
        let digits = name.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        return digits.count >= 16
            && digits.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
