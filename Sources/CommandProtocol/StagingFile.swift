/// The other fixed names in the staging folder.
package enum StagingFile {
    /// Written by the app: its connection state.
    package static let connection = "connected.xml"
    /// Written by the app, deleted by the host: how a command is getting on.
    package static let status = "status.xml"
    /// Renamed into place by the host to ask the app to stop the running command.
    package static let cancel = "cancel.command"
    /// The name under which the host writes the request to stop.
    package static let cancelTemporary = "cancel.tmp"
    /// What the request to stop says; the app looks at the name only.
    package static let cancelText = "please stop"
}

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
