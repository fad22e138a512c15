/// The changes that a simulated BibDesk makes on its own, as the app did while it synced with Dropbox.
public enum BibDeskBehaviour: String, Sendable, Equatable, CaseIterable {
    /// It only shows its files.
    case normal
    /// It removes the libraries and papers that it did not add, whenever the settings are applied.
    case removesUnknownFiles = "removes-unknown-files"
    /// It changes the first entry of each library when a host has written an unfinished file, once each time the
    /// settings are applied.
    case editsDuringSync = "edits-during-sync"
    /// Its clock is a day ahead: it changes the first entry of each library with tomorrow's time, once each time
    /// the settings are applied.
    case clockAhead = "clock-ahead"
}

/// The generations of the BibDesk app, distinguished by the folders they use.
public enum BibDeskGeneration: Int, Sendable, CaseIterable {
    /// Spring of 2012: libraries and papers together in the shared folder.
    case documents
    /// Summer of 2012: libraries and papers together in a folder of their own.
    case flat
    /// Since November 2012: libraries in one folder, linked papers below another.
    case linkedFiles
}
