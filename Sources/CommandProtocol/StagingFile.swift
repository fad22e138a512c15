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
