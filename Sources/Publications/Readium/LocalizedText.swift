import JSON

/// A text that a manifest gives once, or in several languages.
struct LocalizedText {
    /// The text in the publication's language, else without language, else in the first one given.
    let text: String
    /// The others, by language tag.
    let others: [String: String]

    /// Nil when there is no text that is not empty.
    init?(_ value: JSONValue?, _ language: String?) {
        switch value {
        case .string(let text):
            guard let text = text.collapsingSpace() else { return nil }
            self.text = text
            others = [:]
        case .object(let object):
            let texts = object.members.compactMap { member in
                member.value.string?.collapsingSpace().map { (language: member.name, text: $0) }
            }
            func main(_ wanted: String?) -> Int? {
                wanted.flatMap { wanted in texts.firstIndex { $0.language.equals(ignoringCase: wanted) } }
            }
            guard let index = main(language) ?? main("und") ?? texts.indices.first else { return nil }
            text = texts[index].text
            var others: [String: String] = [:]
            for (place, item) in texts.enumerated() where place != index {
                others[item.language] = item.text
            }
            self.others = others
        default:
            return nil
        }
    }
}
