import OverlayKit

extension BookShelf {
    /// The abilities that are missing because the app's documents cannot be reached: all, or none. Asks the device nothing.
    public static func missingAbilities(
        _ host: HostServices
    ) throws(OverlayError) -> [OverlaySettings.Missing] {
        do {
            _ = try BookPlace.documents(host)
            return []
        } catch {
            guard error.status == .accessRefused else { throw error }
            let all: [OverlaySettings.Missing.Ability] = [
                .books, .upload, .delete, .update, .collections, .get, .covers,
            ]
            return all.map { OverlaySettings.Missing($0, reason: error.message, hint: error.hint) }
        }
    }
}
