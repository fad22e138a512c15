import JSON
import OverlayHost
import Platform

/// The parameters of a request, or an object inside them, read by name and type. An error about a value of the wrong
/// type names the member.
struct RequestParameters {
    private let object: JSONObject
    /// The prefix of member names in errors.
    private let place: String

    init(_ object: JSONObject, place: String = "") {
        self.object = object
        self.place = place
    }

    /// Refuses members that are not in `names`.
    func checkNames(_ names: some Collection<String>) throws(HostError) {
        for member in object.members where !names.contains(member.name) {
            throw HostError(
                .parameter, "Unknown parameter.", subject: place + member.name,
                hint: names.isEmpty
                    ? "This method has no parameters." : "Known: \(names.sorted().joined(separator: ", ")).")
        }
    }

    /// Whether the member exists and is not null.
    func has(_ name: String) -> Bool { value(name) != nil }

    /// The member; nil if it is missing or null.
    func value(_ name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    /// All members.
    var members: [JSONObject.Member] { object.members }

    func text(_ name: String) throws(HostError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw wrong(name, "a text") }
        return text
    }

    /// A required text.
    func requiredText(_ name: String) throws(HostError) -> String {
        guard let text = try text(name) else { throw missing(name) }
        return text
    }

    /// A text that must be one of the words of a type.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Word.Type
    ) throws(HostError) -> Word? {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw wrong(name, "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// A local path. It must be absolute, because the program's working folder is not the client's.
    func localPath(_ name: String) throws(HostError) -> String? {
        guard let path = try text(name) else { return nil }
        guard path.isAbsolutePath, !path.utf8.contains(0) else { throw wrong(name, "an absolute path") }
        return path
    }

    func flag(_ name: String) throws(HostError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else { throw wrong(name, "true or false") }
        return flag
    }

    func texts(_ name: String) throws(HostError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let texts = value.strings else { throw wrong(name, "a list of texts") }
        return texts
    }

    /// A required list of texts.
    func requiredTexts(_ name: String) throws(HostError) -> [String] {
        guard let texts = try texts(name) else { throw missing(name) }
        return texts
    }

    func number(_ name: String, _ range: ClosedRange<Double>) throws(HostError) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = value.double, range.contains(number) else {
            throw wrong(
                name, "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))")
        }
        return number
    }

    func count(_ name: String) throws(HostError) -> UInt64? {
        guard let value = value(name) else { return nil }
        guard let count = value.integer.flatMap({ UInt64(exactly: $0) }), count <= UInt64(Int32.max) else {
            throw wrong(name, "a whole number")
        }
        return count
    }

    func object(_ name: String) throws(HostError) -> RequestParameters? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw wrong(name, "an object") }
        return RequestParameters(object, place: place + name + ".")
    }

    /// A required list of objects.
    func requiredObjects(_ name: String) throws(HostError) -> [RequestParameters] {
        guard let value = value(name) else { throw missing(name) }
        guard let elements = value.elements else { throw wrong(name, "a list of objects") }
        var objects: [RequestParameters] = []
        for (index, element) in elements.enumerated() {
            guard let object = element.object else { throw wrong("\(name)[\(index)]", "an object") }
            objects.append(RequestParameters(object, place: "\(place)\(name)[\(index)]."))
        }
        return objects
    }

    func wrong(_ name: String, _ expectation: String) -> HostError {
        HostError(.parameter, "This parameter must be \(expectation).", subject: place + name)
    }

    private func missing(_ name: String) -> HostError {
        HostError(.parameter, "This parameter is missing.", subject: place + name)
    }

    private static func plain(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
