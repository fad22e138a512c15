/// A series or set that a publication belongs to.
public struct PublicationSeries: Hashable, Sendable {
    /// The name of the series.
    public var name: String
    /// The publication's place in it, often whole; always finite.
    public var position: Double?
    /// The name as it is sorted.
    public var fileAs: String?

    /// A series by name; a position that is not finite counts as none.
    public init(_ name: String, position: Double? = nil, fileAs: String? = nil) {
        self.name = name
        self.position = position.flatMap { $0.isFinite ? $0 : nil }
        self.fileAs = fileAs
    }
}

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
