import JSON
import OverlayKit
import Platform

extension Book {
    /// The fields of a book that are kept between connections: all except its path, size, state and cover bytes.
    private static let keptFields: [BookField] = {
        let others = ["path", "collections", "size", "cover", "locked", "progress", "content_id"]
        return fields.filter { !others.contains($0.name) }
    }()

    private static let keptFieldsByName = Dictionary(
        uniqueKeysWithValues: keptFields.map { (ExactText($0.name), $0) })

    /// The fields that the user or a note can set; properties of the file are not among them.
    private static let notedFields: [BookField] = {
        let others = ["format", "cover_media_type", "cover_size"]
        return keptFields.filter { !others.contains($0.name) }
    }()

    /// The kept fields, by their names in the contract.
    func keptJSON() -> JSONObject {
        var object = JSONObject()
        for field in Self.keptFields { object[field.name] = value(of: field) }
        return object
    }

    /// Reads a kept book. Values of unexpected types are skipped, because any program can write the file.
    init(keptJSON object: JSONObject) {
        self.init()
        for member in object.members {
            if let field = Self.keptFieldsByName[ExactText(member.name)] { set(field, to: member.value) }
        }
        if let pubdate, !CivilDay.hasForm(pubdate) { self.pubdate = nil }
        if let rating, !(0...5).contains(rating) { self.rating = nil }
    }

    private func value(of field: BookField) -> JSONValue? {
        switch field.value {
        case .text(let place): field.read(place, in: self).map { .string($0) }
        case .texts(let place): field.read(place, in: self).map { .texts($0) }
        case .number(let place): field.read(place, in: self).flatMap { JSONNumber($0) }.map { .number($0) }
        case .count(let place):
            field.read(place, in: self).flatMap { Int64(exactly: $0) }.map { .integer($0) }
        case .time(let place): field.read(place, in: self).map { .integer($0) }
        case .flag(let place): field.read(place, in: self).map { .bool($0) }
        case .bytes: nil
        }
    }

    private mutating func set(_ field: BookField, to value: JSONValue) {
        switch field.value {
        case .text(let place): field.write(value.string, place, in: &self)
        case .texts(let place): field.write(value.strings, place, in: &self)
        case .number(let place): field.write(value.double, place, in: &self)
        case .count(let place): field.write(value.integer.flatMap { UInt64(exactly: $0) }, place, in: &self)
        case .time(let place): field.write(value.integer, place, in: &self)
        case .flag(let place): field.write(value.bool, place, in: &self)
        case .bytes: break
        }
    }

    /// This book with the values that `other` has from a note, and the values that depend on them, such as the sort
    /// form of a title. Path, size, format and cover are kept.
    public func overlaid(with other: Book) -> Book { overridden(by: other, in: Self.notedFields) }
}
