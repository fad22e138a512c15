public import Archives

/// The result of a guess and how it was reached.
///
/// ```swift
/// let report = Format.explain(path: "/books/emma")
/// print(report.format?.name ?? "unknown", report.evidence ?? "", report.bytesRead)
/// ```
public struct GuessReport: Sendable {
    /// The round in which a sniffer answered.
    public enum Round: String, Sendable, CaseIterable {
        /// The hints were sufficient.
        case light
        /// The content was inspected.
        case heavy
    }

    /// The format; nil if no sniffer recognized it.
    public let format: Format?
    /// The sniffer that answered. A built-in sniffer has the name of its format's constant; any other has the name it
    /// reports, or its position in the list, counted from 1.
    public let sniffer: String?
    /// The round in which it answered.
    public let round: Round?
    /// The reason, if the sniffer reports one: the hint that matched, or what was found in the content.
    public let evidence: String?
    /// The number of bytes of the content that were read; 0 after an answer in the light round.
    public let bytesRead: Int64
    /// The reason why the content could not be read; nil if it was not tried or succeeded.
    public let readError: ByteSourceError?
    /// The damage of content that begins like an archive but cannot be opened as one, if a sniffer used the archive.
    /// Usually the archive was cut short; its format can then be guessed from hints only.
    public let damage: ArchiveError?

    /// Creates a report from its parts.
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

/// Records the sniffer's name and reason while a guess is explained.
final class SnifferTrace {
    /// The report of the sniffer that answered. If `round` is nil, the round of the call applies.
    var answer: (sniffer: String, evidence: String, round: GuessReport.Round?)?
}
