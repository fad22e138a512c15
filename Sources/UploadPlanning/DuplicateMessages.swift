/// Messages about duplicates, books that are on the device already or that another file of the upload is: the same words in
/// every overlay.
public enum DuplicateMessages {
    /// Of a book that is left alone.
    ///
    /// - Parameters:
    ///   - place: where it is, such as `in Kindle`.
    ///   - isOther: whether it is known to have other content than the file.
    ///   - canReplace: whether the file can take its place.
    ///   - title: its title if that differs from the file's; nil: it is the same.
    public static func sentence(
        _ place: String, isOther: Bool, canReplace: Bool = true, title: String? = nil
    ) -> String {
        let known = "The book is already \(place)" + (title.map { " as “\($0)”, with the same uuid" } ?? "")
        guard isOther else { return known + "." }
        return known + (title == nil ? ", with different content" : " and different content")
            + (canReplace ? ". Use --on-conflict replace to replace it." : ".")
    }

    /// Of a book that is left alone because the app has changed its file since it was sent.
    ///
    /// - Parameters:
    ///   - place: where it is, such as `in Kindle`.
    ///   - app: the app's name.
    public static func changed(_ place: String, app: String) -> String {
        "The book is already \(place), and \(app) has changed the file since it was sent."
    }

    /// For a file with the same content as an earlier one of the upload.
    public static let sameContent = "An earlier file in this upload has the same content."

    /// Of another edition of what an earlier file of the upload is, where books that are there are left alone.
    public static let earlier =
        "The book was not sent because an earlier file in this upload has the same title and authors but different "
        + "content. With --on-conflict replace, the later one is sent."

    /// Of another edition of what a later file of the upload is, where books that are there are replaced.
    public static let later =
        "The book was not sent because a later file in this upload has the same title and authors and "
        + "replaces it."

    /// For a book that is added beside one of the same title without known authors.
    public static let sameTitle =
        "Another book has the same title; delete that one to have only this."

    /// The same where the other book has something that deleting it would lose, or may have.
    ///
    /// - Parameter marks: what that is, as ``ReadingMarks/phrase(app:)`` has it; nil: it is not known.
    public static func sameTitle(with marks: String?) -> String {
        "Another book has the same title." + (marks.map { " It has \($0)." } ?? "")
    }

    /// For a book that is added although a book with another title has its id.
    public static let sharedUUID =
        "A book with a different title has the same uuid. Both are on the "
        + "device."

    /// For a book with requested collections, in an app without accessible collections.
    public static func noCollections(_ app: String) -> String {
        "\(app) does not allow access to its collections. The book was not added to any."
    }

    /// Of a book that took the place of one that has its id and another title.
    public static func tookPlace(of title: String) -> String {
        "It replaced “\(title)”, which had the same uuid."
    }

    /// For a book that replaced the metadata of another title with the same id.
    public static func retitled(from title: String) -> String {
        "The title was “\(title)” before; the uuid is the same."
    }

    /// For a later edition of a book, after the earlier file of the upload failed.
    public static let sameBook = "An earlier file of this upload is the same book."

    /// Of a book that was replaced.
    ///
    /// - Parameter marks: what the old copy had, as ``ReadingMarks/phrase(app:)`` has it.
    public static func lost(_ marks: String) -> String { "The old copy was removed, along with \(marks)." }
}
