import OverlayKit

/// The subject of a claim, and its place on the device.
public struct ClaimPlace {
    /// The services of the running method.
    public var host: HostServices
    /// The root to which all paths are relative.
    public var root: Root
    /// The folder that holds the claim. It must exist.
    public var folder: String
    /// The name of the claimed app, such as `Marvin`, for messages.
    public var name: String
    /// The time to wait for another program to release its claim.
    public var patience: Duration
    /// A monotonic clock.
    public var now: () -> Duration
    /// The paths of files that the holder of a claim changes while it works.
    public var activity: () throws(OverlayError) -> [String]

    /// Creates a place.
    public init(
        host: HostServices, root: Root, folder: String, name: String, patience: Duration,
        now: @escaping () -> Duration, activity: @escaping () throws(OverlayError) -> [String]
    ) {
        (self.host, self.root, self.folder, self.name) = (host, root, folder, name)
        (self.patience, self.now, self.activity) = (patience, now, activity)
    }

    /// The path of the claim.
    var claim: String { folder + "/" + FolderClaim.name }

    /// The error for a claim that another program holds.
    var busy: OverlayError {
        OverlayError(
            .busy, "Another program is using \(name).", subject: claim,
            hint: "Wait until it has finished, and run the same command again.", retryable: true)
    }

    /// Rewords a failure with the claim for users, who do not need to know which file it concerned.
    func plain(_ error: OverlayError) -> OverlayError {
        guard error.status == .noSpace else { return error }
        return OverlayError(
            .noSpace, "The device has no space left for a command to \(name).",
            hint: "Free some space on the device, and run the same command again.", domain: error.domain,
            nativeCode: error.nativeCode)
    }
}

/// Recognises the names of files that the host is writing: `.overlayhost-`, hexadecimal digits, and `.part` at the
/// end.
///
/// A command that is killed leaves such files behind. While a program holds the claim, no other program that uses
/// claims writes any, so the holder may remove those it finds.
public enum PartialFile {
    private static let (start, end) = (".overlayhost-", ".part")

    /// Whether a name has this form.
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
