import OverlayKit

extension MarvinOverlay: ProvidesSettings {
    /// What can be done with the Marvin at hand, and why not more. Asks the device nothing.
    public func settings() throws(OverlayError) -> OverlaySettings {
        let fields = MetadataField.allCases.map(\.rawValue)
        switch try access() {
        case .library:
            let settable = try settable()
            guard !settable.contains(.collections) else { return OverlaySettings(settableMetadata: fields) }
            return OverlaySettings(
                settableMetadata: fields.filter { $0 != MetadataField.collections.rawValue },
                missing: [
                    .init(
                        .collections, reason: "The preference \(Self.collectionsPreference) is false.",
                        hint: "Set it to true to change collections from this computer.")
                ])
        case .documents:
            let why = "iOS allows access only to Marvin's documents"
            return OverlaySettings(
                settableMetadata: [],
                missing: [
                    .init(
                        .delete, reason: "\(why): a file removed there would stay in Marvin's library.",
                        hint: "Delete the book in Marvin itself. " + MarvinHint.container),
                    .init(
                        .update, reason: "\(why): its library is not accessible.", hint: MarvinHint.container),
                    .init(
                        .collections, reason: "\(why): its library is not accessible.",
                        hint: MarvinHint.container),
                ])
        case .none(let reason, let hint):
            return OverlaySettings(
                settableMetadata: [],
                missing: [.books, .upload, .delete, .update, .collections, .get, .covers].map {
                    .init($0, reason: reason, hint: hint)
                })
        }
    }
}
