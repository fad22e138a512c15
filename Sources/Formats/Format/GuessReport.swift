public import Archives

/// How a guess came to its answer.
///
/// ```swift
/// let report = Format.explain(path: "/books/emma")
/// print(report.format?.name ?? "unknown", report.evidence ?? "", report.bytesRead)
/// ```
public struct GuessReport: Sendable {
    /// When a sniffer answered.
    public enum Round: String, Sendable, CaseIterable {
        /// By the hints alone.
        case light
        /// By the content.
        case heavy
    }

    /// The answer, nil if no sniffer knew one.
    public let format: Format?
    /// The sniffer that answered: a built-in one by the name of its format's constant, another by the name it gives
    /// itself or by its place in the list, counted from 1.
    public let sniffer: String?
    /// The round in which it answered.
    public let round: Round?
    /// Why, if the sniffer tells: the hint that matched, or what was found in the content.
    public let evidence: String?
    /// Bytes of the content that were looked at, 0 after a light answer.
    public let bytesRead: Int64
    /// Why the content could not be read, if that was tried.
    public let readError: ByteSourceError?
    /// What is wrong with content that begins like an archive and cannot be opened as one, if a sniffer asked for the archive:
    /// mostly that it was cut short. Its format is then told by hints at best.
    public let damage: ArchiveError?

    /// A report of its parts.
    public init(
        format: Format?, sniffer: String?, round: Round?, evidence: String?, bytesRead: Int64,
        readError: ByteSourceError?, damage: ArchiveError? = nil
    ) {
        self.format = format
        self.sniffer = sniffer
        self.round = round
        self.evidence = evidence
        self.bytesRead = bytesRead
        self.readError = readError
        self.damage = damage
    }
}

/// Where a sniffer's name and reason are noted while a guess is explained.
final class SnifferTrace {
    /// What the sniffer that answered said about itself; `round` is nil for that of the call.
    var answer: (sniffer: String, evidence: String, round: GuessReport.Round?)?
}
