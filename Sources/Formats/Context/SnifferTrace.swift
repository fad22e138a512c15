/// Where a sniffer's name and reason are noted while a guess is explained.
final class SnifferTrace {
    /// What the sniffer that answered said of itself.
    var answer: (sniffer: String, evidence: String)?
}
