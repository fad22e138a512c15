/// A series or set that a publication belongs to.
public struct PublicationSeries: Hashable, Sendable {
    /// The name of the series.
    public var name: String
    /// The publication's position in the series, usually a whole number; always finite.
    public var position: Double?
    /// The form of the name for sorting.
    public var fileAs: String?

    /// Creates a series. A position that is not finite becomes nil.
    public init(_ name: String, position: Double? = nil, fileAs: String? = nil) {
        self.name = name
        self.position = position.flatMap { $0.isFinite ? $0 : nil }
        self.fileAs = fileAs
    }
}

extension PublicationSeries {
    /// Parses the number at the beginning of a text, with a point or comma before its fraction; nil if there is none.
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
