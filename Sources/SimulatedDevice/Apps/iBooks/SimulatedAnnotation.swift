import PropertyLists

/// A highlight, note, bookmark or reading position in a book of a simulated Books app.
public struct SimulatedAnnotation: Sendable {
    /// The book's `Package Hash` or persistent id.
    public var assetID: String
    /// The type: 1 bookmark, 2 highlight, 3 reading position.
    public var type: Int64 = 2
    /// The color: 1 green, 2 blue, 3 yellow, 4 pink, 5 purple.
    public var style: Int64 = 3
    /// The marked words.
    public var text: String?
    /// The note that the user wrote.
    public var note: String?
    /// The location as an EPUB CFI.
    public var location: String?
    /// The modification time in seconds since 1970.
    public var modified: Int64 = 1_585_671_309
    /// Whether the user removed it.
    public var isDeleted = false
    /// The id of the annotation.
    public var uuid: String

    /// Creates a yellow highlight in a book.
    public init(_ assetID: String, text: String?, uuid: String) {
        self.assetID = assetID
        self.text = text
        self.uuid = uuid
    }

    var entry: PropertyList {
        var values: [String: PropertyList] = [
            "annotationAssetID": .string(assetID), "annotationType": .integer(type),
            "annotationStyle": .integer(style), "annotationUuid": .string(uuid),
            "annotationDeleted": .integer(isDeleted ? 1 : 0), "annotationIsUnderline": 0,
            "annotationCreationDate": .integer(modified), "annotationModificationDate": .integer(modified),
            "annotationCreatorIdentifier": "com~apple~iBooks",
        ]
        values["annotationSelectedText"] = text.map { .string($0) }
        values["annotationNote"] = note.map { .string($0) }
        values["annotationLocation"] = location.map { .string($0) }
        return .dictionary(values)
    }
}
