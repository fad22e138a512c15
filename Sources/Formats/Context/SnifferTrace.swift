/// Where a sniffer's name and reason are noted while a guess is explained.
final class SnifferTrace {
    /// What the sniffer that answered said of itself; `round` is nil for that of the call.
    var answer: (sniffer: String, evidence: String, round: GuessReport.Round?)?
}
