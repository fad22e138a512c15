/// Messages about duplicates, in the same words for every overlay. A duplicate is a book that is on the device already,
/// or that another file of the upload contains.
public enum DuplicateMessages {
    /// The message for a book that is not changed.
    ///
    /// - Parameters:
    ///   - place: the place of the book, such as `in Kindle`.
    ///   - isOther: whether the book is known to have other content than the file.
    ///   - canReplace: whether the file could replace it.
    ///   - title: its title if that differs from the title in the file; otherwise nil.
    public static func sentence(
        _ place: String, isOther: Bool, canReplace: Bool = true, title: String? = nil
    ) -> String {
        let known = "The book is already \(place)" + (title.map { " as '\($0)', with the same uuid" } ?? "")
        guard isOther else { return known + "." }
        return known + (title == nil ? ", with different content" : " and different content")
            + (canReplace ? ". Use --on-conflict replace to replace it." : ".")
    }

    /// The message for a book that is not changed because the app has changed its file since it was sent.
    ///
    /// - Parameters:
    ///   - place: the place of the book, such as `in Kindle`.
    ///   - app: the app's name.
    public static func changed(_ place: String, app: String) -> String {
        "The book is already \(place), and \(app) has changed the file since it was sent."
    }

    /// The message for a file with the same content as an earlier one of the upload.
    public static let sameContent = "An earlier file in this upload has the same content."

    /// The message for another edition of an earlier file, when books on the device are not changed.
    public static let earlier =
        "The book was not sent because an earlier file in this upload has the same title and authors but different "
        + "content. With --on-conflict replace, the later one is sent."

    /// The message for another edition of a later file, when books on the device are replaced.
    public static let later =
        "The book was not sent because a later file in this upload has the same title and authors and "
        + "replaces it."

    /// The message for a book that is added next to a book with the same title and unknown authors.
    public static let sameTitle =
        "Another book has the same title. If both are the same book, delete the other one."

    /// The same message, when deleting the other book would lose reading marks, or might.
    ///
    /// - Parameter marks: these marks, as ``ReadingMarks/phrase(app:)`` describes them; nil if they are not known.
    public static func sameTitle(with marks: String?) -> String {
        "Another book has the same title." + (marks.map { " It has \($0)." } ?? "")
    }

    /// The message for a book that is added although a book with another title has its id.
    public static let sharedUUID =
        "A book with a different title has the same uuid. Both are on the "
        + "device."

    /// The message for a book with requested collections, in an app whose collections cannot be accessed.
    public static func noCollections(_ app: String) -> String {
        "\(app) does not allow access to its collections. The book was not added to any."
    }

    /// The message for a book that replaced a book with the same id and another title.
    public static func tookPlace(of title: String) -> String {
        "It replaced '\(title)', which had the same uuid."
    }

    /// The message for a book whose metadata replaced that of another title with the same id.
    public static func retitled(from title: String) -> String {
        "The title was '\(title)' before; the uuid is the same."
    }

    /// The message for a later edition of a book, after the earlier file of the upload failed.
    public static let sameBook = "An earlier file of this upload is the same book."

    /// The message for a book that was replaced.
    ///
    /// - Parameter marks: the marks of the old copy, as ``ReadingMarks/phrase(app:)`` describes them.
    public static func lost(_ marks: String) -> String { "The old copy was removed, along with \(marks)." }
}
