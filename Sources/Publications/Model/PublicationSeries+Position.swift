extension PublicationSeries {
    /// The number that a text begins with, with a point or comma before its fraction; nil when it begins with none.
    package static func position(_ text: String) -> Double? {
        var digits = ""
        var hasPoint = false
        for character in text.trimmingSpace().prefix(32) {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else if character == "-", digits.isEmpty {
                digits.append(character)
            } else if character == "." || character == ",", !hasPoint, digits.contains(where: \.isNumber) {
                digits.append(".")
                hasPoint = true
            } else {
                break
            }
        }
        if digits.hasSuffix(".") { digits.removeLast() }
        return Double(digits)
    }
}
