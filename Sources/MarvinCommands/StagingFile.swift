/// Other fixed names in the staging folder.
package enum StagingFile {
    /// The connection state, written by the app.
    package static let connection = "connected.xml"
    /// The status of a command, written by the app and deleted by the host.
    package static let status = "status.xml"
    /// The request to stop the running command, renamed to this name by the host.
    package static let cancel = "cancel.command"
    /// The name with which the host writes the request to stop.
    package static let cancelTemporary = "cancel.tmp"
    /// The content of the request to stop. The app only checks the name.
    package static let cancelText = "please stop"
}

/// The place of the app's answer to a command of the companion.
package enum ResponseFile: Hashable, Sendable {
    /// A file in the staging folder, which the host removes after reading it.
    case staged(String)
    /// A file of the user in the folder of documents, which is kept.
    case document(String)

    /// The place of the answer to a command; nil if the status is the only answer.
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
