/// Where an app leaves the answer to one of the companion's commands.
package enum ResponseFile: Hashable, Sendable {
    /// A file in the staging folder, which the host removes after reading.
    case staged(String)
    /// A file of the person's in the folder of documents, which stays.
    case document(String)

    /// The answer of a type; nil for one that has no answer beside its status.
    package init?(_ kind: AppCommand.Kind) {
        switch kind {
        case .deepViewArticles, .localVocabulary, .firstOccurrence, .globalVocabulary:
            self = .staged("html_response.html")
        case .backupManifest: self = .staged("backup.xml")
        case .backup: self = .document("Backup/marvin.backup")
        default: return nil
        }
    }
}
