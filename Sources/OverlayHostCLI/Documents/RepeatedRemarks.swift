import OverlayHost

/// What the rows of a command have in common to say, so that it is said once and not for each of a hundred books.
struct RepeatedRemarks {
    /// The rows; of those that were done without what all of their kind say.
    private(set) var rows: [ItemRow]
    /// What all rows of a kind say, with the number of them: `12 added: …`.
    private(set) var common: [String] = []

    init(_ rows: [ItemRow]) {
        self.rows = rows
        for status in ItemStatus.allCases where status != .failed {
            let places = rows.indices.filter { rows[$0].status == status }
            guard places.count > 1 else { continue }
            let said = places.map { Self.sentences(rows[$0].message ?? "") }
            let shared = said[0].filter { sentence in said.allSatisfy { $0.contains(sentence) } }
            guard !shared.isEmpty else { continue }
            for (place, sentences) in zip(places, said) {
                let own = sentences.filter { !shared.contains($0) }
                self.rows[place].message = own.isEmpty ? nil : own.joined(separator: " ")
            }
            common.append("\(places.count) \(status.rawValue): \(shared.joined(separator: " "))")
        }
    }

    /// A text at the ends of its sentences. A dot that ends none makes two parts, which together are the text all the same.
    private static func sentences(_ text: String) -> [String] {
        var sentences: [String] = []
        var sentence = ""
        for word in text.split(separator: " ") {
            sentence += (sentence.isEmpty ? "" : " ") + word
            if let last = word.last, ".!?".contains(last) {
                sentences.append(sentence)
                sentence = ""
            }
        }
        return sentence.isEmpty ? sentences : sentences + [sentence]
    }
}
