import OverlayKit
import UploadPlanning

/// Where an upload goes, and where the books are that it is compared with.
enum UploadDestination {
    /// In Marvin's library, which Marvin changes when it is told to.
    case library
    /// Among the documents, where what is there stays as it is.
    case documents

    /// Such as `in Marvin's library`.
    var phrase: String {
        switch self {
        case .library: "in Marvin's library"
        case .documents: "in Marvin's documents"
        }
    }

    /// What can be done with books that are there.
    var policy: UploadPolicy {
        UploadPolicy(
            app: "Marvin", place: phrase, comparesContentFirst: false, update: .changesMetadata,
            refreshesSameContent: false, titleAloneReplaces: false,
            rules: "its uuid, its content, or its title and authors",
            refusal: self == .library ? nil : Self.unchangeable)
    }

    private static let unchangeable = OverlayError(
        .notSupported,
        "The book is already in Marvin's documents and was skipped. Only the documents are accessible, and "
            + "Marvin's library would not notice the change.",
        hint: MarvinHint.container)
}
